import { Postgres, postgresPrograms } from '@chat-web/testing';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applySchema } from './schema.ts';

const HOSTS = ['a', 'b', 'c', 'd', 'e'];

let postgres: Postgres;
let clients: pg.Client[];
let ids: Map<string, string>;

const query = async (client: pg.Client | undefined, text: string, values: unknown[] = []) =>
  (await client?.query(text, values))?.rows ?? [];

/** Hosts that live, with this capacity each. Each client has the role of one. */
async function create(capacity: number): Promise<void> {
  const [admin] = clients;
  await query(admin, 'RESET SESSION AUTHORIZATION');
  await query(admin, 'TRUNCATE chat_web.sessions, chat_web.moves, chat_web.hosts');
  ids = new Map();
  for (const name of HOSTS) {
    const [row] = await query(
      admin,
      `INSERT INTO chat_web.hosts (name, role, epoch, state, beat_at, address, capacity)
       VALUES ($1, $2, 1, 'live', clock_timestamp(), 'http://127.0.0.1', $3) RETURNING id`,
      [name, `chat_web_${name}`, capacity],
    );
    ids.set(name, row.id);
  }
  for (const [at, name] of HOSTS.entries()) await query(clients[at], `SET SESSION AUTHORIZATION chat_web_${name}`);
}

const place = async (at: number, id: string) =>
  (await query(clients[at], 'SELECT chat_web.place($1) AS host', [id]))[0].host;
const report = async (at: number, views: object, isAll = false) => {
  const rows = await query(clients[at], 'SELECT id FROM chat_web.report(1, $1, $2) AS id', [views, isAll]);
  return rows.map(({ id }) => id);
};
const sessions = async (since = 0) => {
  const rows = await query(clients[0], 'SELECT * FROM chat_web.sessions_since($1)', [since]);
  return rows.map(({ id, host }) => [id, HOSTS.find((name) => ids.get(name) === host)]);
};

describe.runIf(postgresPrograms())('the directory', () => {
  beforeAll(async () => {
    postgres = await Postgres.start();
    clients = HOSTS.map(() => new pg.Client(postgres.url()));
    for (const client of clients) await client.connect();
    await applySchema(clients[0] as pg.Client);
    for (const name of HOSTS) await query(clients[0], `CREATE ROLE chat_web_${name} LOGIN IN ROLE chat_web_hosts`);
  });
  beforeEach(() => create(40));
  afterAll(async () => {
    for (const client of clients ?? []) await client.end();
    await postgres?.[Symbol.asyncDispose]();
  });

  it('gives each of 200 new sessions one host, whichever gateways ask at once, and no host too many', async () => {
    const all = Array.from({ length: 200 }, (_, n) => `s-${n}`);
    const placed = await Promise.all(
      HOSTS.map(async (_, at) => {
        const order = all.map((id) => [Math.random(), id] as const).sort();
        const found = new Map<string, string>();
        for (const [, id] of order) found.set(id, await place(at, id));
        return found;
      }),
    );
    const counts = new Map<string, number>();
    for (const id of all) {
      const hosts = new Set(placed.map((found) => found.get(id)));
      expect([...hosts]).toEqual([expect.any(String)]);
      for (const host of hosts) counts.set(String(host), (counts.get(String(host)) ?? 0) + 1);
    }
    expect([...counts.values()]).toEqual([40, 40, 40, 40, 40]);
    expect(await place(0, 'one more')).toBeNull();
  });

  it('places no session on a host that is not heard of, or has no address', async () => {
    await query(clients[0], 'RESET SESSION AUTHORIZATION');
    await query(
      clients[0],
      `UPDATE chat_web.hosts SET beat_at = clock_timestamp() - interval '20 seconds' WHERE name = 'a'`,
    );
    await query(clients[0], `UPDATE chat_web.hosts SET state = 'released' WHERE name = 'b'`);
    await query(clients[0], `UPDATE chat_web.hosts SET address = NULL WHERE name = 'c'`);
    await query(clients[0], `UPDATE chat_web.hosts SET capacity = 0 WHERE name = 'd'`);
    expect(await place(1, 's')).toBe(ids.get('e'));
  });

  it('places a session elsewhere if its host does not answer, unless it has started there', async () => {
    const host = await place(0, 's');
    const [again] = await query(clients[0], 'SELECT chat_web.place($1, $2) AS host', ['s', [host]]);
    expect(again.host).not.toBe(host);
    const at = HOSTS.findIndex((name) => ids.get(name) === again.host);
    await report(at, { s: { id: 's' } });
    expect((await query(clients[0], 'SELECT chat_web.place($1, $2) AS host', ['s', [again.host]]))[0].host).toBe(
      again.host,
    );
  });

  it('has what the hosts report; an id that another host has stays there', async () => {
    expect(await report(0, { main: { id: 'main' }, other: { id: 'other' } }, true)).toEqual([]);
    expect(await report(1, { main: { id: 'main' }, mine: { id: 'mine' } }, true)).toEqual(['main']);
    expect((await sessions()).sort()).toEqual([
      ['main', 'a'],
      ['mine', 'b'],
      ['other', 'a'],
    ]);
    await report(0, { main: null });
    expect(await report(1, { main: { id: 'main' } })).toEqual([]);
    // A full report ends what is not in it, but not what was placed there and has not started yet.
    await query(clients[0], "SELECT chat_web.place('placed')");
    await report(0, {}, true);
    expect(await sessions()).toContainEqual(['other', undefined]);
    expect((await sessions()).find(([id]) => id === 'placed')?.[1]).toBeDefined();
  });

  it('keeps room for two minutes for a session that was placed, and never started', async () => {
    const host = await place(0, 'refused');
    const used = async () => (await query(clients[0], 'SELECT * FROM chat_web.list_hosts()')).map((row) => row.used);
    expect(await used()).toContain('1');
    await query(clients[0], 'RESET SESSION AUTHORIZATION');
    await query(clients[0], "UPDATE chat_web.sessions SET placed_at = placed_at - interval '3 minutes'");
    await query(clients[0], 'UPDATE chat_web.hosts SET capacity = 0 WHERE id = $1', [host]);
    await query(clients[0], 'SET SESSION AUTHORIZATION chat_web_a');
    expect(await used()).not.toContain('1');
    expect(await place(0, 'refused')).not.toBe(host);
  });

  it('accepts reports only from the gateway of the host, with its last epoch', async () => {
    await expect(query(clients[0], "SELECT chat_web.report(0, '{}', true)")).rejects.toMatchObject({ code: '42501' });
    await expect(query(clients[0], 'SELECT * FROM chat_web.sessions')).rejects.toMatchObject({ code: '42501' });
  });

  it('has one host publish that another is lost, and a next one if that is lost before it has', async () => {
    const set = (what: string, ...names: string[]) =>
      postgres.execute(`UPDATE chat_web.hosts SET ${what} WHERE name IN (${names.map((name) => `'${name}'`)})`);
    const markLost = async (at: number, published: string[] = []) =>
      (await query(clients[at], 'SELECT chat_web.mark_lost($1) AS id', [published.map((name) => ids.get(name))]))
        .map(({ id }) => HOSTS.find((name) => ids.get(name) === id))
        .sort();
    set("beating_since = clock_timestamp() - interval '40 s'", 'a', 'b');
    set("beat_at = clock_timestamp() - interval '31 s'", 'e');
    expect(await markLost(2)).toEqual([]); // Its own beats were missing.
    expect(await markLost(0)).toEqual(['e']);
    expect(await markLost(1)).toEqual([]);
    expect(await markLost(0)).toEqual(['e']); // The first answer may have been lost.
    set("beat_at = clock_timestamp() - interval '31 s'", 'a');
    expect(await markLost(1)).toEqual(['a', 'e']);
    expect(await markLost(1, ['a', 'e'])).toEqual([]);
    expect(await markLost(0)).toEqual([]);
  });
});
