import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { text as bodyOf } from 'node:stream/consumers';
import { GatewayError } from '@chat-web/protocol';
import { eventually, listening, Postgres, postgresPrograms } from '@chat-web/testing';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRevocation, operator } from '../access/caller.ts';
import { Damage } from '../host/damage.ts';
import { LogHost } from '../testing/log-host.ts';
import { WebhookFile } from '../webhooks/webhook-file.ts';
import { progressNotes, WebhookProgress } from '../webhooks/webhook-progress.ts';
import type { StoredWebhook } from '../webhooks/webhook-store.ts';
import { Webhooks } from '../webhooks/webhooks.ts';
import { initCluster } from './administration.ts';
import { Engine, EngineUnavailable } from './engine.ts';
import { SharedWebhooks } from './shared-webhooks.ts';

const log = pino({ level: 'silent' });
const me = operator('token', createRevocation().signal);
const RETRY_MS = 50;

/** A host that delivers the webhooks whenever it has the duty. */
class Deliverer {
  readonly host: LogHost;
  readonly webhooks: Webhooks;
  readonly shared: SharedWebhooks;

  constructor(host: LogHost, own = noWebhooks(host)) {
    this.host = host;
    this.shared = new SharedWebhooks(own, {
      engine: host.engine,
      events: host.events,
      host: host.id,
      epoch: () => 1,
      shipped: () => (host.shipper.hasCaughtUp ? host.journal : undefined),
      refreshKeys: async () => {},
      log,
    });
    this.webhooks = new Webhooks({
      store: this.shared.store,
      events: this.shared.events,
      keys: { caller: () => undefined },
      config: { webhookHosts: ['127.0.0.1'], webhookRetryDelaysMs: [RETRY_MS] },
      asksForToken: true,
      version: '1',
      log,
    });
    this.shared.deliverBy(this.webhooks);
  }

  /** As its gateway does every second. */
  async keep(): Promise<void> {
    await this.host.refresh();
    await this.shared.keep();
  }

  get ids(): string[] {
    return this.webhooks.views().map(({ id }) => id);
  }
}

let postgres: Postgres;
let admin: Engine;
let hosts: LogHost[];
let a: Deliverer;
let b: Deliverer;
let server: Server;
let url: string;
let received: { readonly id: string; readonly type: string; readonly text: string }[];
let status: (text: string) => number;
/** Of a host that has not joined yet. */
let unshared: StoredWebhook;

const texts = (count: number, name = '') => Array.from({ length: count }, (_, n) => `${name}${n}`);
const delivered = () => received.map(({ text }) => text);
const setState = (host: LogHost, state: string) =>
  postgres.execute(`UPDATE chat_web.hosts SET state = '${state}' WHERE id = '${host.id}'`);

/** What is in the database: of webhooks, or of dead letters. */
async function stored(column: 'progress' | 'letter'): Promise<string[]> {
  const table = column === 'progress' ? 'webhooks' : 'dead_letters';
  const rows = await admin.query<{ text: string }>(`SELECT ${column} AS text FROM chat_web.${table}`);
  return rows.map(({ text }) => text);
}

function noWebhooks(host: LogHost): WebhookFile {
  const damage = new Damage(host.dir, log);
  return new WebhookFile({
    path: join(host.dir, 'webhooks.json'),
    damage,
    progress: new WebhookProgress(),
    append: (record) => host.journal.append(record),
  });
}

async function happen(host: LogHost, session: string, all: readonly string[]): Promise<void> {
  await host.write(session, all);
  await host.shipped();
}

describe.runIf(postgresPrograms())('the webhooks of a cluster', () => {
  beforeAll(async () => {
    postgres = await Postgres.start();
    await initCluster(postgres.url());
    admin = await Engine.open([postgres.url()], log);
  });
  afterAll(async () => {
    await admin?.close();
    await postgres?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    LogHost.removeAll(postgres);
    hosts = [await LogHost.start(postgres, 'a'), await LogHost.start(postgres, 'b')];
    [a, b] = hosts.map((host) => new Deliverer(host)) as [Deliverer, Deliverer];
    received = [];
    status = () => 204;
    server = createServer(async (request, response) => {
      const { type, data } = JSON.parse(await bodyOf(request));
      const answered = status(data.text);
      if (answered === 204)
        received.push({ id: String(request.headers['webhook-id']), type, text: data.text ?? data.reason });
      response.writeHead(answered).end();
    });
    url = `http://127.0.0.1:${await listening(server)}/hook`;
    unshared = {
      id: 'wh_0a1b2c3d4e5f',
      url,
      sessions: ['*'],
      events: ['message'],
      createdAt: '2026-01-01T00:00:00.000Z',
      secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZg==',
    };
    await a.keep();
    await b.keep();
  });
  afterEach(async () => {
    for (const { webhooks } of [a, b]) await webhooks.close();
    for (const host of hosts) await host.stop();
    server.closeAllConnections();
    server.close();
    vi.restoreAllMocks();
  });

  it('get the events of all hosts, each once, with its id, from one host', async () => {
    expect([a.shared.requireHost(), b.shared.requireHost()]).toEqual([a.host.id, a.host.id]);
    expect(b.webhooks.views()).toEqual([]);
    await happen(a.host, 'one', ['before']);
    await a.host.refresh();
    await a.webhooks.create({ url }, me);
    await Promise.all([happen(a.host, 'one', texts(200, 'a')), happen(b.host, 'two', texts(200, 'b'))]);
    await eventually(async () => {
      await a.keep();
      expect(received).toHaveLength(400);
    });
    expect(delivered().filter((text) => text.startsWith('a'))).toEqual(texts(200, 'a'));
    expect(delivered().filter((text) => text.startsWith('b'))).toEqual(texts(200, 'b'));
    const events = await a.shared.events.feed({ after: 'log-1', session: undefined, takes: () => true }).read();
    expect(new Set(received.map(({ id }) => id))).toEqual(new Set(events.map(({ id }) => id)));
  });

  it('continue on another host where they were, if their host is lost', async () => {
    status = (text) => (text === 'poison' ? 500 : 204);
    const { id, secret } = await a.webhooks.create({ url }, me);
    await happen(a.host, 'one', ['0', '1']);
    await happen(b.host, 'two', ['poison', '2']);
    await a.keep();
    await eventually(() => expect(delivered()).toEqual(['0', '1', '2']));
    await eventually(() => expect(a.webhooks.deadLetters(id, me)).toHaveLength(1));
    await eventually(async () => expect(await stored('progress')).toEqual([expect.stringContaining('log-4')]));
    setState(a.host, 'lost');
    await happen(b.host, 'two', ['3']);
    await b.keep();
    await eventually(() => expect(delivered()).toEqual(['0', '1', '2', '3']));
    expect(b.webhooks.get(id, me)).toMatchObject({ url, status: 'active', deadLetters: 1 });
    // The first one may not know yet that it is lost: what it saves is refused, and what it is asked to do, too.
    await expect(a.webhooks.rotateSecret(id, me)).rejects.toMatchObject({ code: 'host_unreachable' });
    await expect(a.webhooks.remove(id, me)).rejects.toMatchObject({ code: 'host_unreachable' });
    setState(a.host, 'live');
    await a.keep();
    expect([a.ids, b.ids]).toEqual([[], [id]]);
    status = () => 204;
    expect(b.webhooks.replayDeadLetters(id, me)).toBe(1);
    await eventually(() => expect(delivered().at(-1)).toBe('poison'));
    const rotated = await b.webhooks.rotateSecret(id, me);
    expect(rotated.secret).not.toBe(secret);
    await eventually(async () => expect(await stored('letter')).toEqual([]));
    await b.webhooks.remove(id, me);
    expect(await stored('progress')).toEqual([]);
  });

  it('are 503 until another host has read them, and read again if that fails', async () => {
    const { id } = await a.webhooks.create({ url }, me);
    setState(a.host, 'lost');
    const { query } = b.host.engine;
    const failing = vi.spyOn(b.host.engine, 'query').mockImplementation(async (text, values) => {
      if (text.includes('list_webhooks')) throw new GatewayError('engine_unavailable', 'it fails once');
      return query.call(b.host.engine, text, values) as never;
    });
    await expect(b.keep()).rejects.toThrow('it fails once');
    expect(() => b.webhooks.get(id, me)).toThrow('taking over');
    expect(() => b.webhooks.list(me)).toThrow('taking over');
    expect(() => b.shared.requireHost()).toThrow('taken over');
    failing.mockRestore();
    await b.keep();
    expect([b.ids, b.shared.requireHost()]).toEqual([[id], b.host.id]);
  });

  it('are read again after a change with an unknown outcome', async () => {
    const { id } = await a.webhooks.create({ url }, me);
    const { query } = a.host.engine;
    const unsure = vi.spyOn(a.host.engine, 'query').mockImplementation(async (text, values) => {
      const rows = await query.call(a.host.engine, text, values);
      if (text.includes('remove_webhook')) throw new EngineUnavailable(true);
      return rows as never;
    });
    await expect(a.webhooks.remove(id, me)).rejects.toMatchObject({ code: 'outcome_unknown' });
    await expect(a.webhooks.rotateSecret(id, me)).rejects.toThrow('are being read again');
    unsure.mockRestore();
    await a.keep();
    expect(a.ids).toEqual([]);
  });

  it('go on while others are read again: neither their progress nor a replay is forgotten', async () => {
    status = (text) => (text === 'poison' ? 500 : 204);
    const { id } = await a.webhooks.create({ url }, me);
    await happen(a.host, 'one', ['poison', '0']);
    await eventually(async () => {
      await a.keep();
      expect(a.webhooks.deadLetters(id, me)).toHaveLength(1);
    });
    await eventually(async () => expect(await stored('progress')).toEqual([expect.stringContaining('log-2')]));
    let [hasAsked, answer] = [false, () => {}];
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    server.removeAllListeners('request').on('request', async (_request, response) => {
      hasAsked = true;
      await isAnswered;
      response.writeHead(204).end();
    });
    a.webhooks.replayDeadLetters(id, me);
    await eventually(() => expect(hasAsked).toBe(true));
    const own = noWebhooks(b.host);
    await own.create(unshared, { position: 'oldest', waiting: [] }, [unshared]);
    await new Deliverer(b.host, own).keep();
    await a.keep();
    expect(a.ids).toEqual([id, unshared.id]);
    answer();
    await eventually(async () => expect(await stored('letter')).toEqual([]));
    expect(a.webhooks.deliveries(id, me).filter(({ ok }) => ok)).toHaveLength(2);
  });

  it('pass to another host when theirs is drained, and stay if all are', async () => {
    const { id } = await a.webhooks.create({ url }, me);
    postgres.execute('UPDATE chat_web.hosts SET draining = true');
    for (const one of [b, a]) await one.keep();
    expect([a.ids, b.ids]).toEqual([[id], []]);
    postgres.execute("UPDATE chat_web.hosts SET draining = false WHERE name = 'b'");
    await b.keep();
    expect([a.ids, b.ids]).toEqual([[id], []]); // The first one gives them up itself: two must not deliver.
    for (const one of [a, b]) await one.keep();
    expect([a.ids, b.ids]).toEqual([[], [id]]);
  });

  it('are not delivered by a host that has not heard of the database for long', async () => {
    await a.webhooks.create({ url }, me);
    const now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => now + 26_000);
    await happen(a.host, 'one', ['late']);
    await a.host.refresh();
    expect(() => a.shared.requireHost()).toThrow('database of the cluster cannot be reached');
    vi.restoreAllMocks();
    expect(received).toEqual([]);
    await a.keep();
    await eventually(() => expect(delivered()).toEqual(['late']));
  });

  it('deliver again, with the same ids, what a promoted standby lacks, and lose nothing', async () => {
    const { id } = await a.webhooks.create({ url, after: 'oldest' }, me);
    await happen(a.host, 'one', texts(20));
    const before = () => received.slice(0, 20);
    await eventually(async () => {
      await a.keep();
      expect(received).toHaveLength(20);
    });
    await eventually(async () => expect(await stored('progress')).toEqual([expect.stringContaining('log-20')]));
    const seq = Number(before()[9]?.id.split('-')[1]);
    postgres.execute(`BEGIN; DELETE FROM chat_web.events WHERE n > 10; UPDATE chat_web.log_head SET n = 10;
      UPDATE chat_web.hosts SET shipped = ${seq} WHERE name = 'a';
      UPDATE chat_web.webhooks SET progress = replace(progress, 'log-20', 'log-8');
      CREATE OR REPLACE FUNCTION chat_web.timeline() RETURNS text LANGUAGE sql AS $$ SELECT 'promoted' $$; COMMIT`);
    try {
      await happen(b.host, 'two', ['meanwhile']);
      // It has not noticed yet: what it saves is refused.
      await expect(a.webhooks.update(id, { url }, me)).rejects.toMatchObject({ code: 'host_unreachable' });
      await eventually(async () => {
        await a.keep();
        expect(received.length).toBeGreaterThanOrEqual(20 + 13);
      });
      const all = new Map(received.map((one) => [one.id, one.text]));
      expect([...all.values()].sort()).toEqual([...texts(20), 'meanwhile'].sort());
      await eventually(async () => expect(await stored('progress')).toEqual([expect.stringContaining('log-21')]));
    } finally {
      postgres.execute(`CREATE OR REPLACE FUNCTION chat_web.timeline() RETURNS text LANGUAGE sql AS $$
        SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8) $$`);
    }
  });

  it('lose the dead letters of a session that is deleted', async () => {
    status = () => 500;
    const { id } = await a.webhooks.create({ url }, me);
    await happen(b.host, 'two', ['poison']);
    await a.keep();
    await eventually(() => expect(a.webhooks.deadLetters(id, me)).toHaveLength(1));
    await b.host.journal.append({ kind: 'forget', name: '', session: 'two', key: '', text: '' });
    await b.host.shipped();
    await a.keep();
    expect(a.webhooks.deadLetters(id, me)).toEqual([]);
    expect(await stored('letter')).toEqual([]);
  });

  it('keep those of a new session with its id', async () => {
    status = () => 500;
    const { id } = await a.webhooks.create({ url }, me);
    const letters = () => a.webhooks.deadLetters(id, me).map(({ id: event }) => event);
    await happen(b.host, 'two', ['old']);
    await eventually(async () => {
      await a.keep();
      expect(letters()).toHaveLength(1);
    });
    const [old] = letters();
    const noPurge = vi.spyOn(a.host, 'refresh').mockImplementation(async () => void (await a.host.events.refresh()));
    await b.host.journal.append({ kind: 'forget', name: '', session: 'two', key: '', text: '' });
    await happen(b.host, 'two', ['new']);
    await eventually(async () => {
      await a.keep();
      expect(letters()).toHaveLength(1);
    });
    expect(letters()).not.toEqual([old]);
    expect(await stored('letter')).toHaveLength(2);
    setState(a.host, 'lost');
    await b.host.events.refresh();
    await b.shared.keep(); // The first letter is still in the database.
    expect(b.webhooks.deadLetters(id, me).map(({ id: event }) => event)).toEqual(letters());
    noPurge.mockRestore();
    await b.keep();
    expect(await stored('letter')).toHaveLength(1);
    // The last attempt of an event of the old one has failed after it was deleted.
    const late = {
      id: old ?? '',
      event: 'message',
      session: 'two',
      at: '2026-01-01T00:00:00.000Z',
      attempts: 2,
      message: 'x',
    };
    await b.shared.note({ ...unshared, id }, progressNotes.dead(id, late));
    expect(await stored('letter')).toHaveLength(2);
    setState(b.host, 'lost');
    setState(a.host, 'live');
    await a.keep();
    expect(letters()).not.toContain(old);
    expect(letters()).toHaveLength(1);
  });

  it('begin after an event of any host, and are replayed from one', async () => {
    await happen(a.host, 'one', ['0', '1']);
    await happen(b.host, 'two', ['2', '3']);
    await a.host.refresh();
    const feed = a.host.events.feed({ after: 'oldest', session: undefined, takes: () => true });
    const ids = (await feed.read()).concat(await feed.read()).map(({ id = '' }) => id);
    const { id } = await a.webhooks.create({ url, after: ids[2] as string }, me);
    await eventually(() => expect(delivered()).toEqual(['3']));
    await a.webhooks.replay(id, ids[0] as string, me);
    await eventually(() => expect(delivered().sort()).toEqual(['1', '2', '3', '3']));
    received = [];
    await a.webhooks.replay(id, 'ffffffffffff-7', me);
    await eventually(() => expect(received).toHaveLength(5));
    expect(received[0]).toMatchObject({ type: 'gap', text: 'unknown_position' });
  });

  it('of a host from before it joined are added once, with their positions and dead letters', async () => {
    await happen(b.host, 'two', texts(3, 'b'));
    await happen(a.host, 'one', ['0', '1', '2']);
    const own = noWebhooks(a.host);
    const webhook = unshared;
    const idOf = (n: number) => a.host.journal.idOf(n);
    const last = a.host.journal.lastSeq;
    const progress = {
      position: idOf(last - 1),
      waiting: [{ session: 'one', after: idOf(last - 2), attempts: 1, nextAt: 0 }],
    };
    await own.create(webhook, progress, [webhook]);
    own.progress.apply(progressNotes.progress(webhook.id, progress));
    const letter = {
      id: idOf(last - 2),
      event: 'message',
      session: 'one',
      at: '2026-01-01T00:00:00.000Z',
      attempts: 2,
      message: 'x',
    };
    own.progress.apply(progressNotes.dead(webhook.id, letter));
    const joined = new Deliverer(a.host, own);
    await a.host.shipped();
    await joined.keep();
    await b.keep();
    await a.keep();
    expect([a.ids, b.ids]).toEqual([[webhook.id], []]);
    expect(a.webhooks.deadLetters(webhook.id, me)).toEqual([letter]);
    await eventually(() => expect(delivered()).toEqual(['1', '2']));
    expect(await own.load()).toEqual([]);
  });

  it('of a host begin with a gap if its journal has not issued their position', async () => {
    await happen(a.host, 'one', ['0', '1']);
    const own = noWebhooks(a.host);
    const progress = { position: 'ffffffffffff-7', waiting: [] };
    await own.create(unshared, progress, [unshared]);
    own.progress.apply(progressNotes.progress(unshared.id, progress));
    await new Deliverer(a.host, own).keep();
    await a.keep();
    await eventually(() => expect(delivered()).toEqual(['unknown_position', '0', '1']));
  });
});
