import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { addHost, type GatewayProcess, initCluster, joinCluster, spawnGateway } from '@chat-web/gateway/tools';
import { createClient } from '@chat-web/host';
import { ADA, BEN, eventually, Postgres, postgresPrograms, withRoom } from '@chat-web/testing';
import { sharedFolder } from '@chat-web/testing/hooks';
import { Stack } from '@chat-web/testing/stack';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

/** A host whose gateway has not started yet. */
interface Host {
  readonly name: string;
  readonly dir: string;
  readonly url: string;
}

const folder = sharedFolder();
let postgres: Postgres;
let running: GatewayProcess[] = [];

async function newHost(name: string): Promise<Host> {
  const dir = join(folder, name);
  const url = await addHost(postgres.url(), name);
  await joinCluster(url, dir);
  return { name, dir, url };
}

const settingsOf = ({ dir, url }: Host) => ({
  CHAT_WEB_PORT: '0',
  CHAT_WEB_DATA_DIR: dir,
  CHAT_WEB_CLUSTER_URL: url,
  CHAT_WEB_BROWSER_PATH: '/bin/false',
});

async function start(host: Host, signal?: AbortSignal): Promise<GatewayProcess> {
  const gateway = await spawnGateway(settingsOf(host), signal ? { signal } : {});
  running.push(gateway);
  return gateway;
}

const clientOf = ({ url }: { readonly url: string }) => createClient({ url }, { retries: 0 });

async function hostsAt(gateway: GatewayProcess) {
  const { hosts } = await clientOf(gateway).listHosts();
  return hosts;
}

async function viewAt(gateway: GatewayProcess, { name }: Host) {
  const view = (await hostsAt(gateway)).find((host) => host.name === name);
  if (!view) throw new Error(`${name} is not listed`);
  return view;
}

/** Why a gateway does not start. */
async function refusalOf(host: Host): Promise<string> {
  const result = await start(host).catch((error: Error) => error);
  return result instanceof Error ? result.message : 'it started';
}

describe.runIf(postgresPrograms())('a host of a cluster', () => {
  beforeAll(async () => {
    postgres = await Postgres.start();
    expect(await initCluster(postgres.url())).toBeGreaterThan(0);
    expect(await initCluster(postgres.url())).toBe(0);
  });
  afterEach(async () => {
    await Promise.all(running.map((gateway) => gateway.end('SIGKILL')));
    running = [];
  });
  afterAll(() => postgres?.[Symbol.asyncDispose]());

  it('is listed by each gateway, with its state', async () => {
    const [a, b] = [await newHost('a'), await newHost('b')];
    const [first, second] = [await start(a), await start(b)];
    for (const gateway of [first, second])
      await eventually(async () =>
        expect(await hostsAt(gateway)).toMatchObject([
          { name: 'a', state: 'live', isOwn: gateway === first, version: expect.any(String) },
          { name: 'b', state: 'live', isOwn: gateway === second, sessions: { ready: 0 } },
        ]),
      );
    await first.end();
    expect(await viewAt(second, a)).toMatchObject({ state: 'released' });
  });

  it('continues at once after its gateway was killed', async () => {
    const host = await newHost('killed');
    await (await start(host)).end('SIGKILL');
    const startedAt = performance.now();
    const again = await start(host);
    expect(performance.now() - startedAt).toBeLessThan(withRoom(3_000));
    expect(await viewAt(again, host)).toMatchObject({ state: 'live' });
  });

  it('does not start on an empty folder, or on one of another host', async () => {
    const [host, other] = [await newHost('unmounted'), await newHost('other')];
    expect(await refusalOf({ ...host, dir: other.dir })).toMatch(/code 78.*belongs to another host/s);
    rmSync(host.dir, { recursive: true });
    mkdirSync(host.dir);
    expect(await refusalOf(host)).toMatch(/code 78.*check that its disk is mounted/s);
    expect(existsSync(join(host.dir, 'host.json'))).toBe(false);
  });

  it('does not start on a copy: it waits while the original may run, and is refused once that has run again', async () => {
    const host = await newHost('copied');
    const original = await start(host);
    const copy = { ...host, dir: join(folder, 'copy') };
    cpSync(host.dir, copy.dir, { recursive: true, filter: (path) => !path.endsWith('gateway.lock') });
    const waiting = new AbortController();
    const refused = start(copy, waiting.signal).catch((error: Error) => error.message);
    setTimeout(() => waiting.abort(), 8_000);
    expect(await refused).toMatch(/data folder not claimed yet/);
    expect(await viewAt(original, host)).toMatchObject({ state: 'live' });
    await original.end('SIGKILL');
    await (await start(host)).end();
    expect(await refusalOf(copy)).toMatch(/code 78.*an older copy/s);
  });

  it('whose machine is lost continues elsewhere once an operator confirms that it is off', async () => {
    const [host, other] = [await newHost('lost'), await newHost('witness')];
    const [gateway, witness] = [await start(host), await start(other)];
    const { id } = await viewAt(witness, host);
    const client = clientOf(witness);
    await expect(client.confirmHostOff({ hostId: id, confirm: id })).rejects.toMatchObject({ code: 'host_is_live' });
    await gateway.end('SIGKILL');
    // Another folder, as on another machine.
    const moved = { ...host, dir: join(folder, 'moved') };
    cpSync(host.dir, moved.dir, { recursive: true, filter: (path) => !path.endsWith('gateway.lock') });
    await eventually(async () => expect(await viewAt(witness, host)).toMatchObject({ state: 'late' }));
    await eventually(async () => expect(await viewAt(witness, host)).toMatchObject({ state: 'lost' }));
    const continued = start(moved);
    await expect(client.confirmHostOff({ hostId: id, confirm: 'yes' })).rejects.toMatchObject({
      code: 'invalid_request',
      issues: [expect.objectContaining({ path: 'confirm' })],
    });
    const unknown = '8c1d3f5a-0b2e-4c6d-8e9f-a1b2c3d4e5f6';
    await expect(client.confirmHostOff({ hostId: unknown, confirm: unknown })).rejects.toMatchObject({
      code: 'host_not_found',
    });
    expect(await client.confirmHostOff({ hostId: id, confirm: id })).toMatchObject({ confirmedOff: true });
    expect(await viewAt(await continued, host)).toMatchObject({ state: 'live', isOwn: true });
    expect(await refusalOf(host)).toMatch(/code 78.*an older copy/s);
  });

  it('whose folder another gateway has claimed exits within seconds', async () => {
    const host = await newHost('displaced');
    const gateway = await start(host);
    postgres.execute("UPDATE chat_web.hosts SET epoch = epoch + 1 WHERE name = 'displaced'");
    expect(await gateway.exited).toMatchObject({ code: 1 });
    expect(gateway.log.join('\n')).toContain('data folder claimed by another gateway');
  });

  it('keeps its sessions while the database is down, and is claimed again when it is back', async () => {
    const host = await newHost('outage');
    await using stack = await Stack.start({ settings: { CHAT_WEB_CLUSTER_URL: host.url }, dataDir: host.dir });
    await stack.link('main', ADA);
    await postgres.kill('SIGQUIT');
    try {
      await expect(stack.client.listHosts()).rejects.toMatchObject({ code: 'engine_unavailable' });
      const { id } = await stack.client.sendMessage({ id: 'main', type: 'text', to: BEN, body: 'during the outage' });
      expect(id).toEqual(expect.any(String));
      expect(await stack.client.getSessionStatus({ id: 'main' })).toMatchObject({ status: 'ready', restarts: 0 });
      await stack.gateway.end('SIGKILL');
      setTimeout(() => void postgres.run(), 5_000);
      await stack.restartGateway();
    } finally {
      await eventually(() => postgres.run());
    }
    await stack.untilStatus('main', 'ready');
    expect(await stack.client.listHosts()).toMatchObject({
      hosts: expect.arrayContaining([expect.objectContaining({ name: 'outage', state: 'live' })]),
    });
  });
});
