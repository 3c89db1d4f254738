import { gatewayAddress } from '@chat-web/host/node';
import { ADA, BEN, eventually, figure, pace, Relay, rounds, SmallDisk } from '@chat-web/testing';
import { itInAllRounds } from '@chat-web/testing/hooks';
import { move, Stack, storedEvents, Traffic } from '@chat-web/testing/stack';
import { expect, it } from 'vitest';
import { moveSession } from '../../scripts/move/move-session.ts';

const MOVES = rounds({ few: 2, all: 50 });
const KILLS = Math.ceil(MOVES / 4);
const CUTS = Math.ceil(MOVES / 5);
/** The time in which an undisturbed move completes. */
const MAX_WAIT_MS = 2_500;
const NEVER = new AbortController().signal;
/** For messages both ways. */
const PAUSE_MS = 400;
const SECOND_MS = 1_000;

/** Two gateways on one network, and a session on the first with traffic both ways. */
async function world(settings: Readonly<Record<string, string>> = {}) {
  const first = await Stack.start();
  const second = await Stack.start({ sharesSimulatorOf: first, settings });
  await first.link('main', ADA);
  const stacks = [first, second] as const;
  const traffic = new Traffic(stacks, { session: 'main', account: ADA });
  return {
    first,
    second,
    stacks,
    traffic,
    /** Ends the traffic, and expects that each message was delivered once, and each answer sent once. */
    async expectWhole(): Promise<string> {
      await traffic.end();
      const received = async () =>
        (await Promise.all(stacks.map((stack) => storedEvents(stack, 'main').catch(() => []))))
          .flat()
          .flatMap(({ name, data }) => (name === 'message' ? [data.body] : []));
      await eventually(async () => {
        const known = new Set(await received());
        expect(traffic.inbound.filter((text) => !known.has(text))).toEqual([]);
      });
      expect((await received()).sort()).toEqual([...traffic.inbound].sort());
      const onPhone = (await first.phones.messages(BEN)).flatMap(({ body = '' }) => (/^out /.test(body) ? [body] : []));
      expect(onPhone.sort()).toEqual([...traffic.outbound].sort());
      expect(await first.phones.account(ADA)).toMatchObject({ devices: [{}], unlinks: [] });
      return `${traffic.inbound.length} messages delivered once, ${traffic.outbound.length} sent once, 0 relinks`;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await traffic.end().catch(() => {});
      await second[Symbol.asyncDispose]();
      await first[Symbol.asyncDispose]();
    },
  };
}

const statusOn = (stack: Stack) =>
  stack.client.getSessionStatus({ id: 'main' }).then(
    ({ status }) => status,
    ({ code }) => code,
  );
const endAt = ({ url }: { readonly url: string }) => ({ url, address: gatewayAddress({ url }) });

/** The session is on one side only, or was interrupted on its way: then the other side has nothing that can run. */
async function expectOneSide([one, other]: readonly Stack[]): Promise<void> {
  const sides = [await statusOn(one as Stack), await statusOn(other as Stack)];
  const away = sides.filter((status) => status === 'moved' || status === 'session_not_found');
  expect(away.length, sides.join(' and ')).toBeGreaterThanOrEqual(1);
  expect(sides, sides.join(' and ')).not.toEqual(['session_not_found', 'session_not_found']);
}

it(`${MOVES} moves there and back with traffic lose nothing and deliver nothing twice`, async () => {
  await using all = await world();
  const durations: number[] = [];
  const sizes: number[] = [];
  for (let n = 0; n < MOVES; n += 1) {
    const [from, to] = n % 2 === 0 ? ([all.first, all.second] as const) : ([all.second, all.first] as const);
    const startedAt = performance.now();
    sizes.push(await move(from, to, 'main'));
    await to.untilStatus('main', 'ready');
    durations.push(performance.now() - startedAt);
    await pace(PAUSE_MS);
  }
  const whole = await all.expectWhole();
  const mean = durations.reduce((sum, ms) => sum + ms, 0) / MOVES / SECOND_MS;
  const kb = (bytes = 0) => `${(bytes / 1_024).toFixed(0)} KB`;
  figure(
    'moves',
    `${MOVES} moves: ${whole}; ${mean.toFixed(1)} s each until ready, ${kb(sizes[0])} to ${kb(Math.max(...sizes))}`,
  );
});

it('a SIGKILL of either gateway at any moment of a move leaves the session intact, and the move resumes', async () => {
  await using all = await world();
  for (let n = 0; n < KILLS; n += 1) {
    const [from, to] = n % 2 === 0 ? ([all.first, all.second] as const) : ([all.second, all.first] as const);
    const victim = Math.random() < 0.5 ? from : to;
    const lines: string[] = [];
    const moving = moveSession(
      { from: endAt(from.gateway), to: endAt(to.gateway), session: 'main' },
      (line) => lines.push(line),
      NEVER,
    );
    await pace(Math.random() * MAX_WAIT_MS);
    const { port } = new URL(victim.gateway.url);
    await victim.gateway.end('SIGKILL');
    await victim.restartGateway({ CHAT_WEB_PORT: port });
    await expectOneSide(all.stacks);
    const isThere = await moving;
    expect(isThere, lines.join('\n')).toBe(true);
    await to.untilStatus('main', 'ready');
    expect(await statusOn(from)).toBe('moved');
  }
  figure('killed moves', `${KILLS} of ${KILLS} resumed after a SIGKILL: ${await all.expectWhole()}`);
});

/** A relay to a gateway that breaks one connection. */
async function breakingRelay({ gateway: { url } }: Stack): Promise<Relay> {
  const relay = await Relay.start(Number(new URL(url).port));
  relay.breakAfter(Math.floor(Math.random() * 20_000));
  return relay;
}

itInAllRounds('connections that break at any byte leave the session intact, and the move resumes', async () => {
  await using all = await world();
  for (let n = 0; n < CUTS; n += 1) {
    const [from, to] = n % 2 === 0 ? ([all.first, all.second] as const) : ([all.second, all.first] as const);
    using toFrom = await breakingRelay(from);
    using toTo = await breakingRelay(to);
    const lines: string[] = [];
    const options = { from: endAt(toFrom), to: endAt(toTo), session: 'main' };
    expect(await moveSession(options, (line) => lines.push(line), NEVER), lines.join('\n')).toBe(true);
    expect(await statusOn(from)).toBe('moved');
  }
  figure('cut moves', `${CUTS} of ${CUTS} resumed after two cuts each: ${await all.expectWhole()}`);
});

itInAllRounds('a full disk on either side leaves the session where it is, or in transit', async () => {
  await using disk = await SmallDisk.create();
  const settings = { CHAT_WEB_MIN_FREE_DISK_MB: '0' };
  const first = await Stack.start({ settings });
  const second = await Stack.start({ sharesSimulatorOf: first, settings, dataDir: disk.dataDir });
  try {
    await first.link('main', ADA);
    await disk.fill(0);
    await expect(move(first, second, 'main')).rejects.toMatchObject({ code: 'insufficient_resources' });
    await expectOneSide([first, second]);
    expect([await statusOn(first), await statusOn(second)]).toEqual(['moved', 'session_not_found']);
    await disk.free();
    await eventually(() => move(first, second, 'main'));
    await second.untilStatus('main', 'ready');

    await disk.fill(0);
    // The stop itself may free enough space.
    const outcome = await move(second, first, 'main').then(
      () => 'moved',
      ({ code }) => code,
    );
    await expectOneSide([first, second]);
    await disk.free();
    if (outcome !== 'moved') {
      expect(outcome).toBe('insufficient_resources');
      expect([await statusOn(first), await statusOn(second)]).toEqual(['moved', expect.not.stringMatching('moved')]);
      await eventually(() => move(second, first, 'main'));
    }
    await first.untilStatus('main', 'ready');
    expect(await first.phones.account(ADA)).toMatchObject({ devices: [{}], unlinks: [] });
  } finally {
    await second[Symbol.asyncDispose]();
    await first[Symbol.asyncDispose]();
  }
});
