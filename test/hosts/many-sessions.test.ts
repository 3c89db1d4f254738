import { rename, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import {
  BEN,
  copyDataFolder,
  eventually,
  figure,
  HostNetworks,
  LINKS,
  postgresPrograms,
  rounds,
  ToyNetwork,
} from '@chat-web/testing';
import { CLEAN_AUDIT, Hosts, type Stack, Traffic, WebhookEndpoint } from '@chat-web/testing/stack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const SESSIONS = Array.from({ length: 22 }, (_, n) => `light-${n}`);
const CAPACITY = 30;
const SECOND_MS = 1_000;
const CUT_SECONDS = rounds({ few: 60, all: 300 });

let networks: HostNetworks | undefined;
let light: ToyNetwork;
let endpoint: WebhookEndpoint;
let hosts: Hosts;
let traffics: Traffic[];

const options = () => ({ capacity: CAPACITY, networks, ...light.stackOptions });

async function open(names: readonly string[], settings: Readonly<Record<string, string>> = {}): Promise<void> {
  networks = await HostNetworks.create();
  light = await ToyNetwork.start(networks?.addressOf('internet'));
  endpoint = await WebhookEndpoint.start(networks?.addressOf('internet'));
  hosts = await Hosts.start(names, { ...options(), settings: { ...settings, ...endpoint.settings } });
  await hosts.deliverTo(endpoint);
  traffics = [];
}

async function close(): Promise<void> {
  await hosts?.[Symbol.asyncDispose]();
  await light?.[Symbol.asyncDispose]();
  await endpoint?.[Symbol.asyncDispose]();
  await networks?.[Symbol.asyncDispose]();
}

const seconds = (since: number) => (performance.now() - since) / SECOND_MS;

/** Starts sessions on a host, and waits until all are ready. */
async function startOn(host: string, sessions: readonly string[] = SESSIONS): Promise<void> {
  const { client } = hosts.at(host);
  for (const id of sessions) await client.startSession({ id, host });
  await untilReady(host, sessions.length);
}

/** Waits until so many of a host's sessions are ready, as another one, or itself, lists them. */
function untilReady(host: string, count: number, at = host): Promise<void> {
  return eventually(async () => {
    const { sessions } = await hosts.at(at).client.listSessions({ host });
    expect(sessions.map(({ status }) => status)).toEqual(Array.from({ length: count }, () => 'ready'));
  }, 120_000);
}

/** Two texts a second in each direction, over some of the sessions. */
function traffic(stacks: readonly [Stack, ...Stack[]], sessions: readonly string[]): Traffic[] {
  const begun = sessions.map(
    (session) =>
      new Traffic(stacks, { ...light.accountOf(session), name: `${session}.${traffics.length} `, pauseMs: 500 }),
  );
  traffics.push(...begun);
  return begun;
}

/** Ends all traffic, and expects that nothing was lost or doubled, and no account was connected twice. */
async function expectWhole(): Promise<string> {
  await Promise.all(traffics.map((one) => one.end()));
  expect(await hosts.audit(traffics)).toEqual(CLEAN_AUDIT);
  expect(light.overlaps).toEqual([]);
  const count = (of: 'inbound' | 'outbound') => traffics.flatMap((one) => one[of]).length;
  return `${count('inbound')} messages delivered once, also by a webhook, ${count('outbound')} sent once`;
}

/** A host's folder on another machine, where it has another inode. */
async function takeDiskOf(stack: Stack): Promise<string> {
  const moved = `${stack.dataDir}.moved`;
  await copyDataFolder(stack.dataDir, moved);
  await rename(stack.dataDir, `${stack.dataDir}.gone`);
  await rm(`${stack.dataDir}.gone`, { recursive: true, force: true });
  return moved;
}

/** Starts the gateway of a host again on another machine. */
async function restartElsewhere(stack: Stack, machine: string, dataDir: string): Promise<void> {
  await networks?.add(machine);
  const { through, address } = networks
    ? { through: networks.through(machine), address: networks.addressOf('peers', machine) }
    : { through: [], address: '127.0.0.1' };
  await stack.restartGateway({ CHAT_WEB_DATA_DIR: dataDir, CHAT_WEB_HOST: address }, { through });
}

describe.runIf(postgresPrograms())('a host with 22 sessions', () => {
  beforeAll(async () => {
    await open(['a', 'b', 'c', 'd']);
    await startOn('a');
  });
  afterAll(close);

  it('has all of them ready within 30 s after its gateway was killed', async () => {
    const stack = hosts.at('a');
    traffic(hosts.all, SESSIONS.slice(0, 5));
    await stack.gateway.end('SIGKILL');
    const killedAt = performance.now();
    await stack.restartGateway();
    const claimed = seconds(killedAt);
    await eventually(async () => {
      const { sessions } = await stack.client.listSessions({ host: 'a' });
      expect(sessions.map(({ status }) => status)).toContain('ready');
    });
    const first = seconds(killedAt);
    await untilReady('a', SESSIONS.length);
    const all = seconds(killedAt);
    const whole = await expectWhole();
    figure(
      'killed gateway',
      `listening after ${claimed.toFixed(1)} s, one session ready after ${first.toFixed(1)} s, all after ${all.toFixed(1)} s; ${whole}`,
    );
    expect(first).toBeLessThan(5);
    expect(all).toBeLessThan(30);
  });

  it('moves all of them to others within a minute when it is drained, and they are balanced over another host', async () => {
    traffic(hosts.all, SESSIONS.slice(5, 10));
    const { client } = hosts.at('b');
    const startedAt = performance.now();
    await client.drainHost({ hostId: (await hosts.view('a')).id });
    await eventually(async () => expect(await hosts.view('a', 'b')).toMatchObject({ used: 0 }), 120_000);
    const drained = seconds(startedAt);
    await client.endDrain({ hostId: (await hosts.view('a')).id });
    await hosts.add('e', { ...options(), settings: endpoint.settings });
    const addedAt = performance.now();
    const { moves } = await client.rebalanceHosts();
    await eventually(
      async () => expect((await client.listMoves()).moves.filter(({ endedAt }) => !endedAt)).toEqual([]),
      120_000,
    );
    const balanced = seconds(addedAt);
    const shares = (await client.listHosts()).hosts.map(({ used, capacity }) => used / capacity);
    const spread = Math.max(...shares) - Math.min(...shares);
    figure(
      'drain',
      `22 sessions moved in ${drained.toFixed(1)} s; ${moves.length} moved to balance 5 hosts in ${balanced.toFixed(1)} s, to a spread of ${(spread * 100).toFixed(0)} %; ${await expectWhole()}`,
    );
    expect(drained).toBeLessThan(60);
    expect(spread).toBeLessThanOrEqual(0.1);
  });

  it('loses nothing when all gateways are restarted in turn', async () => {
    const begun = traffic(hosts.all, SESSIONS.slice(10, 15));
    const startedAt = performance.now();
    for (const stack of hosts.all) {
      await stack.gateway.end();
      await stack.restartGateway();
    }
    await eventually(async () => {
      const { sessions } = await hosts.at('c').client.listSessions();
      expect(new Set(sessions.map(({ status }) => status))).toEqual(new Set(['ready']));
    });
    const took = seconds(startedAt);
    const whole = await expectWhole();
    const failures = begun.flatMap((one) => one.failures).map((failure) => failure.split(':')[0]);
    figure(
      'rolling restart',
      `5 gateways in ${took.toFixed(0)} s; ${whole}; ${failures.length} calls repeated (${[...new Set(failures)]})`,
    );
  });
});

describe.runIf(postgresPrograms())('a host that is cut off', () => {
  beforeAll(async () => {
    await open(['a', 'b']);
    await startOn('a');
  });
  afterAll(close);

  it(`from the database for ${CUT_SECONDS} s goes on`, async () => {
    if (!networks) return;
    const stack = hosts.at('a');
    const begun = traffic([stack], SESSIONS.slice(0, 5));
    const since = async () => (await stack.client.listSessions({ host: 'a' })).sessions.map((view) => view.since);
    const before = await since();
    await networks.cut('a', 'engine');
    await delay(CUT_SECONDS * SECOND_MS);
    expect(await hosts.view('a', 'b')).toMatchObject({ state: 'lost' });
    await networks.heal('a', 'engine');
    const healedAt = performance.now();
    await eventually(async () => expect(await hosts.view('a', 'b')).toMatchObject({ state: 'live' }));
    const back = seconds(healedAt);
    const whole = await expectWhole();
    expect(await since()).toEqual(before);
    expect(begun.flatMap(({ failures }) => failures)).toEqual([]);
    await untilReady('a', SESSIONS.length, 'b');
    figure(
      'database cut off',
      `${CUT_SECONDS} s: no call failed, no status changed; live again after ${back.toFixed(1)} s; ${whole}`,
    );
  });

  it('from everything is lost, and continues on another machine once it is confirmed to be off', async () => {
    if (!networks) return;
    const stack = hosts.at('a');
    const { client } = hosts.at('b');
    traffic([hosts.at('b')], SESSIONS.slice(5, 10));
    // It delivers the webhooks.
    const { id: hostId } = await hosts.view('b');
    await client.drainHost({ hostId });
    await eventually(async () => expect(await hosts.view('a', 'b')).toMatchObject({ deliversWebhooks: true }));
    await client.endDrain({ hostId });
    // Its connection is kept.
    await client.sendMessage({ id: 'light-0', type: 'text', to: BEN, body: 'while it is there' });
    await networks.cut('a', ...LINKS);
    const cutAt = performance.now();
    const delivering = eventually(
      async () => expect(await hosts.view('b')).toMatchObject({ deliversWebhooks: true }),
      60 * SECOND_MS,
    );
    const takenOver = delivering.then(() => seconds(cutAt));
    const late = client.sendMessage({ id: 'light-0', type: 'text', to: BEN, body: 'while it is cut off' });
    await expect(late).rejects.toMatchObject({ code: 'host_unreachable' });
    const refused = seconds(cutAt);
    expect(refused).toBeLessThan(20);
    await stack.gateway.end('SIGKILL');
    await eventually(async () => {
      const { sessions } = await client.listSessions({ host: 'a' });
      expect(new Set(sessions.map(({ reason }) => reason))).toEqual(new Set(['HOST_LOST']));
    });
    const told = seconds(cutAt);
    const webhooks = await takenOver;
    const dataDir = await takeDiskOf(stack);
    const startedAt = performance.now();
    const restarted = restartElsewhere(stack, 'a2', dataDir);
    await eventually(async () =>
      client.confirmHostOff({ hostId: (await hosts.view('a', 'b')).id, confirm: (await hosts.view('a', 'b')).id }),
    );
    await restarted;
    await untilReady('a', SESSIONS.length, 'b');
    const ready = seconds(startedAt);
    figure(
      'lost host',
      `a call refused after ${refused.toFixed(0)} s; told after ${told.toFixed(0)} s; webhooks taken over after ${webhooks.toFixed(0)} s; 22 ready ${ready.toFixed(1)} s after the start on another machine; ${await expectWhole()}`,
    );
    expect(told).toBeLessThan(35);
    expect(webhooks).toBeLessThan(40);
    expect(ready).toBeLessThan(60);
  });
});

describe.runIf(postgresPrograms())('a host with an exclusive disk that is cut off', () => {
  beforeAll(async () => {
    await open(['a', 'b'], { CHAT_WEB_CLUSTER_DISK: 'exclusive' });
    await startOn('a', SESSIONS.slice(0, 5));
  });
  afterAll(close);

  it('continues on another machine 45 to 60 s after its disk has come, and is never connected twice', async () => {
    if (!networks) return;
    const stack = hosts.at('a');
    const old = stack.gateway;
    traffic([hosts.at('b')], SESSIONS.slice(0, 5));
    // Its gateway and its sessions go on, and reach the network.
    await networks.cut('a', 'engine', 'peers');
    await delay(20 * SECOND_MS); // Until the disk is attached elsewhere.
    const dataDir = await takeDiskOf(stack);
    const attachedAt = performance.now();
    await restartElsewhere(stack, 'a2', dataDir);
    const claimed = seconds(attachedAt);
    await expect(old.exited).resolves.toMatchObject({ signal: 'SIGKILL' });
    await untilReady('a', 5, 'b');
    figure(
      'exclusive disk of a host cut off',
      `claimed after ${claimed.toFixed(0)} s; ${await expectWhole()}; ${light.overlaps.length} overlaps`,
    );
    expect(claimed).toBeGreaterThan(45);
    expect(claimed).toBeLessThan(60);
  });
});
