import { setTimeout as delay } from 'node:timers/promises';
import { ADA, CARLA, eventually, figure, HostNetworks, LINKS, postgresPrograms, ToyNetwork } from '@chat-web/testing';
import { CLEAN_AUDIT, Hosts, type Stack, Traffic, WebhookEndpoint } from '@chat-web/testing/stack';
import { describe, expect, it } from 'vitest';

const MINUTES = Number(process.env.NEMESIS_MINUTES ?? 5);
const SEED = Number(process.env.NEMESIS_SEED ?? Math.floor(Math.random() * 1_000_000));
const NAMES = ['a', 'b', 'c'] as const;
/** With a browser, and light ones. */
const SESSIONS = { main: ADA, shop: CARLA } as const;
const LIGHT = Array.from({ length: 6 }, (_, n) => `light-${n}`);
const CAPACITY = 8;
const SECOND_MS = 1_000;
const MAX_PAUSE_MS = 12_000;
/** Longer than a host may be silent before it is lost. */
const MAX_CUT_MS = 45_000;
const CONVERGES_MS = 60_000;

/** The same faults again for a seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

describe.runIf(postgresPrograms())('hosts of a cluster', () => {
  it(`converge within a minute after ${MINUTES} minutes of random faults, and nothing is lost or doubled`, async () => {
    await using networks = await HostNetworks.create();
    await using light = await ToyNetwork.start(networks?.addressOf('internet'));
    await using endpoint = await WebhookEndpoint.start(networks?.addressOf('internet'));
    await using hosts = await Hosts.start(NAMES, {
      capacity: CAPACITY,
      networks,
      settings: endpoint.settings,
      ...light.stackOptions,
    });
    await hosts.deliverTo(endpoint);
    for (const [id, number] of Object.entries(SESSIONS)) await hosts.at('a').link(id, number);
    for (const id of LIGHT) await hosts.at('a').client.startSession({ id });
    const real = Object.entries(SESSIONS).map(([session, account]) => ({ session, account }));
    const toys = LIGHT.map((session) => ({ ...light.accountOf(session), pauseMs: SECOND_MS }));
    const traffics = [...real, ...toys].map(
      (options) => new Traffic(hosts.all, { ...options, name: `${options.session} ` }),
    );
    const ids = traffics.map(({ session }) => session);
    const random = randomFrom(SEED);
    const one = <T>(of: readonly T[]) => of[Math.floor(random() * of.length)] as T;
    const anyHost = () => hosts.at(one(NAMES));
    const calls: Promise<unknown>[] = [];
    const done = new Map<string, number>();
    /** The result of a call does not matter: its gateway may be gone. */
    const later = (call: Promise<unknown>) => void calls.push(call.catch(() => {}));

    async function restart(stack: Stack, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
      const { port } = new URL(stack.gateway.url);
      await stack.gateway.end(signal);
      await delay(random() * 3 * SECOND_MS);
      await stack.restartGateway({ CHAT_WEB_PORT: port });
    }
    const faults: Record<string, () => Promise<void>> = {
      kill: () => restart(anyHost(), 'SIGKILL'),
      restart: () => restart(anyHost(), 'SIGTERM'),
      pause: async () => {
        const { gateway } = anyHost();
        process.kill(gateway.pid, 'SIGSTOP');
        await delay(random() * MAX_PAUSE_MS);
        process.kill(gateway.pid, 'SIGCONT');
      },
      move: async () => later(anyHost().client.moveSession({ id: one(ids), to: one(NAMES) })),
      drain: async () => {
        const name = one(NAMES);
        const { id: hostId } = await eventually(() => hosts.view(name, one(NAMES)));
        later(anyHost().client.drainHost({ hostId }));
        await delay(random() * 8 * SECOND_MS);
        await eventually(() => anyHost().client.endDrain({ hostId }));
      },
      database: async () => {
        await hosts.postgres.kill('SIGQUIT');
        await delay(random() * 8 * SECOND_MS);
        await hosts.postgres.run();
      },
      ...(networks && {
        cut: async () => {
          const [name, links] = [one(NAMES), LINKS.filter(() => random() < 0.5)];
          await networks.cut(name, ...links);
          await delay(random() * MAX_CUT_MS);
          await networks.heal(name, ...links);
        },
      }),
    };
    const endsAt = performance.now() + MINUTES * 60 * SECOND_MS;
    while (performance.now() < endsAt) {
      const name = one(Object.keys(faults));
      done.set(name, (done.get(name) ?? 0) + 1);
      // A second fault may come while the first is not over.
      const next = one(['move', '']);
      await Promise.all([faults[name]?.(), faults[next]?.()]);
      await delay(random() * 4 * SECOND_MS);
    }

    const healedAt = performance.now();
    await Promise.all(calls);
    for (const name of NAMES)
      await eventually(async () => hosts.at('a').client.endDrain({ hostId: (await hosts.view(name)).id }));
    await eventually(async () => {
      for (const { client } of hosts.all) {
        const { sessions } = await client.listSessions();
        expect(sessions.map(({ id, status }) => `${id} ${status}`)).toEqual(ids.map((id) => `${id} ready`).sort());
        const { moves } = await client.listMoves();
        expect(moves.filter(({ endedAt }) => endedAt === undefined)).toEqual([]);
        expect((await client.listHosts()).hosts.map(({ state }) => state)).toEqual(['live', 'live', 'live']);
      }
    }, CONVERGES_MS);
    const seconds = (performance.now() - healedAt) / SECOND_MS;
    await Promise.all(traffics.map((traffic) => traffic.end()));
    expect(await hosts.audit(traffics), `seed ${SEED}`).toEqual(CLEAN_AUDIT);
    expect(light.overlaps, `seed ${SEED}`).toEqual([]);
    const counts = [...done].map(([name, count]) => `${count} ${name}`).join(', ');
    const texts = traffics.flatMap(({ inbound, outbound }) => [...inbound, ...outbound]).length;
    figure(
      'nemesis',
      `${MINUTES} minutes (${counts}; seed ${SEED}): ${texts} texts, converged after ${seconds.toFixed(0)} s`,
    );
  }, 3_600_000);
});
