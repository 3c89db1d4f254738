import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  addHost,
  adoptFolder,
  type GatewayProcess,
  initCluster,
  joinCluster,
  spawnGateway,
} from '@chat-web/gateway/tools';
import { createClient, listen } from '@chat-web/host';
import { filePosition } from '@chat-web/host/node';
import {
  ADA,
  BEN,
  copyDataFolder,
  downloadedBytes,
  eventually,
  Postgres,
  postgresPrograms,
  temporaryFolder,
  withRoom,
} from '@chat-web/testing';
import { sharedFolder } from '@chat-web/testing/hooks';
import { eventsAt, Hosts, Stack, CLUSTER_TOKEN as TOKEN } from '@chat-web/testing/stack';
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
  CHAT_WEB_TOKEN: TOKEN,
  CHAT_WEB_BROWSER_PATH: '/bin/false',
  CHAT_WEB_WEBHOOK_HOSTS: '127.0.0.1:9',
});

/** The host on a copy of its folder. */
async function copyOf(host: Host, name: string): Promise<Host> {
  const dir = join(folder, name);
  await copyDataFolder(host.dir, dir);
  return { ...host, dir };
}

async function start(host: Host, signal?: AbortSignal): Promise<GatewayProcess> {
  const gateway = await spawnGateway(settingsOf(host), signal ? { signal } : {});
  running.push(gateway);
  return gateway;
}

const clientOf = ({ url }: { readonly url: string }) => createClient({ url, token: TOKEN }, { retries: 0 });

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
    await expect(joinCluster(a.url, a.dir)).rejects.toThrow('in use by another gateway');
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
    // Without the setting, it would start on its own, beside the gateway that the cluster knows.
    const { CHAT_WEB_CLUSTER_URL: _, ...alone } = settingsOf(host);
    await expect(spawnGateway(alone)).rejects.toThrow(/code 78.*CHAT_WEB_CLUSTER_URL must be set/s);
    rmSync(host.dir, { recursive: true });
    mkdirSync(host.dir);
    expect(await refusalOf(host)).toMatch(/code 78.*check that its disk is mounted/s);
    expect(existsSync(join(host.dir, 'host.json'))).toBe(false);
  });

  it('does not start on a copy: it waits while the original may run, and is refused once that has run again', async () => {
    const host = await newHost('copied');
    const original = await start(host);
    const copy = await copyOf(host, 'copy');
    const waiting = new AbortController();
    const refused = start(copy, waiting.signal).catch((error: Error) => error.message);
    setTimeout(() => waiting.abort(), 8_000);
    expect(await refused).toMatch(/data folder not claimed yet/);
    expect(await viewAt(original, host)).toMatchObject({ state: 'live' });
    await original.end('SIGKILL');
    await (await start(host)).end();
    expect(await refusalOf(copy)).toMatch(/code 78.*an older copy/s);
  });

  it('answers for the webhooks of all hosts, also for those from before it joined; they outlive each gateway', async () => {
    const dir = join(folder, 'joining');
    const own = {
      id: 'wh_0a1b2c3d4e5f',
      url: 'https://example.com/own',
      sessions: ['*'],
      events: ['message'],
      createdAt: '2026-01-01T00:00:00.000Z',
      secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZg==',
    };
    mkdirSync(dir);
    writeFileSync(join(dir, 'webhooks.json'), JSON.stringify({ webhooks: [own] }));
    const [first, second] = [await start(await newHost('joined')), await start(await newHost('joining'))];
    const [one, other] = [clientOf(first), clientOf(second)];
    for (const client of [one, other])
      await eventually(async () => expect((await client.listWebhooks()).webhooks).toMatchObject([{ id: own.id }]));
    const { id: webhookId, secret } = await other.createWebhook({ url: 'http://127.0.0.1:9/hook' });
    expect(await one.getWebhook({ webhookId })).toMatchObject({ status: 'active', position: expect.any(String) });
    expect((await other.rotateWebhookSecret({ webhookId })).secret).not.toBe(secret);
    const bad = { webhookId, url: 'ftp://example.com' };
    await expect(other.updateWebhook(bad)).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await other.testWebhook({ webhookId })).toMatchObject({ ok: false });
    await first.end();
    await eventually(async () => expect((await other.listWebhooks()).webhooks).toHaveLength(2));
    await other.deleteWebhook({ webhookId });
    await expect(other.getWebhook({ webhookId })).rejects.toMatchObject({ code: 'webhook_not_found' });
  });

  it('whose machine is lost continues elsewhere once an operator confirms that it is off', async () => {
    const [host, other] = [await newHost('lost'), await newHost('witness')];
    const [gateway, witness] = [await start(host), await start(other)];
    const { id } = await viewAt(witness, host);
    const client = clientOf(witness);
    await expect(client.confirmHostOff({ hostId: id, confirm: id })).rejects.toMatchObject({ code: 'host_is_live' });
    await gateway.end('SIGKILL');
    // Another folder, as on another machine.
    const moved = await copyOf(host, 'moved');
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

  it('does not start on a folder that the database has forgotten, until an operator adopts it', async () => {
    const host = await newHost('restored');
    const gateway = await start(host);
    expect(await viewAt(gateway, host)).toMatchObject({ state: 'live' }); // By now, it handles signals.
    await gateway.end();
    postgres.execute("UPDATE chat_web.hosts SET epoch = 0, journal_position = NULL WHERE name = 'restored'");
    expect(await refusalOf(host)).toMatch(/code 78.*database, which has been restored/s);
    await adoptFolder(postgres.url(), host.name, host.dir);
    expect(await viewAt(await start(host), host)).toMatchObject({ state: 'live' });
  });

  it('whose disk is gone is removed once it is not live, and never starts again', async () => {
    const [host, other] = [await newHost('gone'), await newHost('remover')];
    const [gateway, remover] = [await start(host), await start(other)];
    const { id: hostId } = await viewAt(remover, host);
    const client = clientOf(remover);
    expect(await client.getClusterHost({ hostId })).toMatchObject({ name: 'gone', isOwn: false });
    await expect(client.removeHost({ hostId })).rejects.toMatchObject({ code: 'host_is_live' });
    await gateway.end();
    expect(await client.removeHost({ hostId })).toEqual({ id: hostId, status: 'removed' });
    await expect(client.removeHost({ hostId })).rejects.toMatchObject({ code: 'host_not_found' });
    await expect(client.getClusterHost({ hostId })).rejects.toMatchObject({ code: 'host_not_found' });
    expect(await refusalOf(host)).toMatch(/code 78.*does not belong to a host/s);
    // Its name can be used again.
    expect(await addHost(postgres.url(), 'gone')).not.toBe(host.url);
  });

  it('whose folder another gateway has claimed exits within seconds', async () => {
    const host = await newHost('displaced');
    const gateway = await start(host);
    postgres.execute("UPDATE chat_web.hosts SET epoch = epoch + 1 WHERE name = 'displaced'");
    expect(await gateway.exited).toMatchObject({ signal: 'SIGKILL' });
    expect(gateway.log.join('\n')).toContain('data folder claimed by another gateway');
  });

  it('keeps its sessions while the database is down, and is claimed again when it is back', async () => {
    const host = await newHost('outage');
    await using stack = await Stack.start({
      settings: { CHAT_WEB_CLUSTER_URL: host.url, CHAT_WEB_TOKEN: TOKEN },
      dataDir: host.dir,
    });
    await stack.link('main', ADA);
    await postgres.kill('SIGQUIT');
    try {
      await expect(stack.client.listHosts()).rejects.toMatchObject({ code: 'engine_unavailable' });
      const { id } = await stack.client.sendMessage({ id: 'main', type: 'text', to: BEN, body: 'during the outage' });
      expect(id).toEqual(expect.any(String));
      expect(await stack.client.getSessionStatus({ id: 'main' })).toMatchObject({ status: 'ready', restarts: 0 });
      await stack.gateway.end('SIGKILL');
      const isBack = delay(5_000).then(() => postgres.run());
      await stack.restartGateway();
      await isBack;
    } catch (error) {
      await postgres.run();
      throw error;
    }
    await stack.untilStatus('main', 'ready');
    expect(await stack.client.listHosts()).toMatchObject({
      hosts: expect.arrayContaining([expect.objectContaining({ name: 'outage', state: 'live' })]),
    });
  });
});

describe.runIf(postgresPrograms())('the sessions of several hosts', () => {
  let hosts: Hosts;
  let first: Stack;
  let second: Stack;
  beforeAll(async () => {
    hosts = await Hosts.start(['first', 'second'], { capacity: 1 });
    [first, second] = [hosts.at('first'), hosts.at('second')];
    await first.link('main', ADA);
    await first.link('shop', BEN);
  });
  afterAll(() => hosts?.[Symbol.asyncDispose]());

  it('are started where there is room, and listed by each gateway', async () => {
    for (const { client } of [first, second])
      await eventually(async () =>
        expect((await client.listSessions()).sessions).toMatchObject([
          { id: 'main', host: 'first', status: 'ready' },
          { id: 'shop', host: 'second', status: 'ready' },
        ]),
      );
    await expect(second.client.startSession({ id: 'third' })).rejects.toMatchObject({ code: 'insufficient_resources' });
    await expect(first.client.getSessionStatus({ id: 'third' })).rejects.toMatchObject({ code: 'session_not_found' });
  });

  it('can be called at each gateway: texts, files in both directions, events', async () => {
    for (const [id, front, account, other] of [
      ['main', second, ADA, BEN],
      ['shop', first, BEN, ADA],
    ] as const) {
      const { client } = front;
      const events = await front.listen(id);
      await first.phones.send(other, { to: account, body: `to ${id}` });
      await events.until('message', ({ body }) => body === `to ${id}`);
      const message = { id, to: other, markRead: false } as const;
      const text = (await client.sendMessage({ ...message, type: 'text', body: `from ${id}` })) as { id: string };
      expect(await first.onPhone(account, text.id)).toMatchObject({ body: `from ${id}` });
      const bytes = randomBytes(8 * 1_048_576);
      const file = { base64: bytes.toString('base64'), mimeType: 'application/zip', filename: 'large.zip' };
      const sent = (await client.sendMessage({ ...message, type: 'document', ...file })) as { id: string };
      const media = await client.getMedia({ id, messageId: sent.id });
      expect(Buffer.compare(await downloadedBytes(media), bytes)).toBe(0);
    }
  });

  it('are followed by a listener that continues at another gateway, with each event once and in order', async () => {
    const handled: string[] = [];
    using folder = temporaryFolder();
    const texts = (from: number) => Array.from({ length: 20 }, (_, n) => `listened ${from + n}`);
    const listenAt = (front: Stack) => {
      const listener = listen(front.address, { from: 'oldest', position: filePosition(join(folder.path, 'position')) });
      const run = listener.run({ message: ({ data }) => void handled.push(data.body) });
      return {
        until: (text: string) => eventually(() => expect(handled).toContain(text)),
        end: () => listener.stop().then(() => run),
      };
    };
    const sendAll = async (all: readonly string[]) => {
      for (const body of all) await first.phones.send(BEN, { to: ADA, body });
    };
    const before = listenAt(second);
    await sendAll(texts(0));
    await before.until('listened 19');
    await before.end();
    await sendAll(texts(20));
    const after = listenAt(first);
    await after.until('listened 39');
    await sendAll(texts(40));
    await after.until('listened 59');
    await after.end();
    expect(handled.filter((body) => body.startsWith('listened'))).toEqual([...texts(0), ...texts(20), ...texts(40)]);
  });

  it('are asked for credentials at both gateways, and nobody else can say that a request was forwarded', async () => {
    const ask = (headers: Record<string, string>) => fetch(`${second.gateway.url}/sessions/main/status`, { headers });
    const right = { Authorization: `Bearer ${TOKEN}` };
    expect((await ask(right)).status).toBe(200);
    expect((await ask({})).status).toBe(401);
    for (const hop of ['x', 'e30.e30', Buffer.from('{}').toString('base64url')])
      expect((await ask({ ...right, 'Chat-Web-Hop': hop })).status).toBe(403);
  });

  it('are covered by a key at each gateway, until it is deleted at one of them', async () => {
    const { id: keyId, key } = await second.client.createKey({ name: 'app', sessions: ['main'], scope: 'read' });
    const clients = [first, second].map(({ gateway }) =>
      createClient({ url: gateway.url, token: key }, { retries: 0 }),
    );
    for (const client of clients) {
      expect(await client.getSessionStatus({ id: 'main' })).toMatchObject({ id: 'main' });
      await expect(client.getSessionStatus({ id: 'shop' })).rejects.toMatchObject({ code: 'session_not_found' });
    }
    const headers = { Authorization: `Bearer ${key}`, Accept: 'text/event-stream' };
    const streams = await Promise.all(
      [first, second].map(({ gateway }) => fetch(`${gateway.url}/sessions/main/events`, { headers })),
    );
    await first.client.deleteKey({ keyId });
    for (const client of clients)
      await eventually(() => expect(client.listSessions()).rejects.toMatchObject({ code: 'unauthorized' }));
    // The streams have ended, too.
    for (const { body } of streams) await body?.pipeTo(new WritableStream()).catch(() => {});
    expect((await second.client.listKeys()).keys).toEqual([]);
  });

  it('of a host that does not answer are 503, and answer again when it is back', async () => {
    await first.gateway.end('SIGKILL');
    await expect(second.client.getSessionStatus({ id: 'main' })).rejects.toMatchObject({ code: 'host_unreachable' });
    const body = { type: 'text', to: BEN, body: 'to a dead host' } as const;
    await expect(second.client.sendMessage({ id: 'main', ...body })).rejects.toMatchObject({
      code: 'host_unreachable',
    });
    expect(await second.client.getSessionStatus({ id: 'shop' })).toMatchObject({ status: 'ready' });
    const lost = { id: 'main', host: 'first', status: 'disconnected', reason: 'HOST_LOST' };
    await eventually(async () => expect(await second.client.getSessionStatus({ id: 'main' })).toMatchObject(lost));
    expect((await second.client.listSessions()).sessions).toMatchObject([lost, { id: 'shop', status: 'ready' }]);
    // Its events are in the database, before those of the host that has noticed it.
    await eventually(async () => {
      const events = await eventsAt(second, '/sessions/main/events', ['ready', 'disconnected', 'status']);
      expect(events.map(({ name }) => name)).toContain('ready');
      expect(events.slice(-2)).toMatchObject([
        { name: 'disconnected', data: { reason: 'HOST_LOST', message: expect.stringContaining('first') } },
        { name: 'status', data: { status: 'disconnected', reason: 'HOST_LOST' } },
      ]);
    });
    await first.restartGateway();
    await eventually(async () =>
      expect(await second.client.getSessionStatus({ id: 'main' })).toMatchObject({ status: 'ready' }),
    );
    await eventually(async () => {
      const statuses = await eventsAt(second, '/events', ['status']);
      expect(statuses.filter((event) => event.session === 'main').at(-1)).toMatchObject({ data: { status: 'ready' } });
    });
    expect((await first.phones.messages(BEN)).map((message) => message.body)).not.toContain('to a dead host');
  });

  it('are deleted at any gateway, which makes room for another', async () => {
    await second.client.deleteSession({ id: 'main' });
    await eventually(() => second.client.startSession({ id: 'next' }));
    expect((await first.client.listSessions()).sessions).toMatchObject([{ id: 'next', host: 'first' }, { id: 'shop' }]);
  });
});
