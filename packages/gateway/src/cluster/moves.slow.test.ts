import { Postgres, postgresPrograms } from '@chat-web/testing';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HostRow } from './directory.ts';
import { balancing } from './moves.ts';
import { applySchema } from './schema.ts';

const HOSTS = ['a', 'b', 'c'] as const;
const CAPACITY = 2;
const SESSIONS = ['s', 't', 'u'] as const;

const host = fc.nat(HOSTS.length - 1);
const session = fc.constantFrom(...SESSIONS);
/** `at`: the host whose gateway makes the call. */
const step = fc.oneof(
  fc.record({ name: fc.constant('ask' as const), at: host, session, to: fc.option(host, { nil: undefined }) }),
  fc.record({ name: fc.constantFrom('begin', 'commit', 'cancel', 'end', 'report', 'delete'), at: host, session }),
);

interface Model {
  readonly hosts: Map<string, number>;
  /** The last move of each session. */
  readonly moves: Map<string, { id: string; source: number; target: number; state: string }>;
}

describe.runIf(postgresPrograms())('moves', () => {
  let postgres: Postgres;
  let admin: pg.Client;
  let clients: pg.Client[];
  beforeAll(async () => {
    postgres = await Postgres.start();
    [admin, ...clients] = ['admin', ...HOSTS].map(() => new pg.Client(postgres.url())) as [pg.Client, ...pg.Client[]];
    for (const client of [admin, ...clients]) await client.connect();
    await applySchema(admin);
    for (const [at, name] of HOSTS.entries()) {
      await admin.query(`CREATE ROLE chat_web_${name} LOGIN IN ROLE chat_web_hosts`);
      await clients[at]?.query(`SET SESSION AUTHORIZATION chat_web_${name}`);
    }
  });
  afterAll(async () => {
    for (const client of [admin, ...(clients ?? [])]) await client?.end();
    await postgres?.[Symbol.asyncDispose]();
  });

  async function call(at: number, text: string, values: readonly unknown[] = []) {
    const { rows } = (await clients[at]?.query(`SELECT * FROM chat_web.${text}`, [...values])) ?? { rows: [] };
    return rows[0];
  }

  /** Each session is on the first host, and has never moved. */
  async function fresh(): Promise<Model> {
    await admin.query('TRUNCATE chat_web.sessions, chat_web.moves, chat_web.hosts');
    for (const name of HOSTS)
      await admin.query(
        `INSERT INTO chat_web.hosts (name, role, epoch, state, beat_at, address, capacity)
         VALUES ($1, $2, 1, 'live', clock_timestamp(), 'http://127.0.0.1', $3)`,
        [name, `chat_web_${name}`, CAPACITY],
      );
    const views = Object.fromEntries(SESSIONS.map((id) => [id, { id, status: 'ready' }]));
    await call(0, 'report(1, $1, true)', [views]);
    return { hosts: new Map(SESSIONS.map((id) => [id, 0])), moves: new Map() };
  }

  async function apply(model: Model, next: typeof step extends fc.Arbitrary<infer S> ? S : never): Promise<void> {
    const { at } = next;
    const move = model.moves.get(next.session);
    const isOpen = move !== undefined && move.state !== 'done' && move.state !== 'cancelled';
    const isUnderWay = move?.state === 'asked' || move?.state === 'moving';
    if (next.name === 'ask') {
      const wanted = 'to' in next && next.to !== undefined ? (HOSTS[next.to] ?? null) : null;
      const answer = await call(at, 'ask_move($1, $2)', [next.session, wanted]);
      const source = model.hosts.get(next.session);
      if (source === undefined) return expect(answer.outcome).toBe('unknown_session');
      if (isOpen) return expect(answer).toEqual({ outcome: 'moving', move: move.id });
      if (answer.outcome !== 'asked') return expect(answer.outcome).toMatch(/^(is_there|no_room)$/);
      const { rows } = await admin.query(
        'SELECT h.name FROM chat_web.moves m JOIN chat_web.hosts h ON h.id = m.target WHERE m.id = $1',
        [answer.move],
      );
      const target = HOSTS.indexOf(rows[0].name);
      expect(target).not.toBe(source);
      if (wanted) expect(rows[0].name).toBe(wanted);
      model.moves.set(next.session, { id: answer.move, source, target, state: 'asked' });
      return;
    }
    const id = move?.id ?? '0';
    const isTarget = at === move?.target;
    if (next.name === 'begin') {
      const { begin_move } = await call(at, 'begin_move($1, 1)', [id]);
      expect(begin_move).toBe(isTarget && isUnderWay);
      if (begin_move && move) move.state = 'moving';
    } else if (next.name === 'commit') {
      const { commit_move } = await call(at, 'commit_move($1, 1)', [id]);
      const canBe = move?.state === 'moving' && model.hosts.get(next.session) === move.source;
      expect(commit_move).toBe(isTarget && (canBe || move?.state === 'done'));
      if (isTarget && move.state === 'moving') {
        if (canBe) model.hosts.set(next.session, at);
        move.state = canBe ? 'done' : 'cancelled';
      }
    } else if (next.name === 'cancel') {
      await call(at, "cancel_move($1, 1, 'why')", [id]);
      if (move && isUnderWay && (isTarget || at === move.source)) move.state = 'cancelling';
    } else if (next.name === 'end') {
      await call(at, 'end_move($1, 1)', [id]);
      if (move?.state === 'cancelling' && at === move.source) move.state = 'cancelled';
    } else if (next.name === 'delete') {
      await call(at, 'report(1, $1, false)', [{ [next.session]: null }]);
      if (model.hosts.get(next.session) === at) model.hosts.delete(next.session);
    } else {
      await call(at, 'report(1, $1, false)', [{ [next.session]: { id: next.session, status: 'ready' } }]);
      if (!model.hosts.has(next.session)) model.hosts.set(next.session, at);
    }
  }

  it('leave each session on one host, whatever source and target do, and fill no host beyond its room', async () => {
    const history = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      const model = await fresh();
      for (const next of steps) {
        await apply(model, next);
        const { rows: sessions } = await admin.query(
          'SELECT s.id, h.name FROM chat_web.sessions s JOIN chat_web.hosts h ON h.id = s.host ORDER BY s.id',
        );
        expect(sessions).toEqual([...model.hosts].sort().map(([id, at]) => ({ id, name: HOSTS[at] })));
        const { rows: moves } = await admin.query(
          'SELECT DISTINCT ON (session) session, state FROM chat_web.moves ORDER BY session, id DESC',
        );
        expect(moves).toEqual([...model.moves].sort().map(([id, { state }]) => ({ session: id, state })));
      }
      // The first one had all three from the start; reports are of what a host has already.
      const arriving = [...model.moves.values()].filter(({ state }) => state === 'asked' || state === 'moving');
      const taken = (at: number) => arriving.filter(({ target }) => target === at).length;
      for (const at of [1, 2]) expect(taken(at)).toBeLessThanOrEqual(CAPACITY);
    });
    await fc.assert(history, { numRuns: 60 });
  });

  it('are asked for by one of several gateways at once', async () => {
    await fresh();
    const outcomes = await Promise.all(HOSTS.map(async (_, at) => (await call(at, "ask_move('s', NULL)")).outcome));
    expect(outcomes.sort()).toEqual(['asked', 'moving', 'moving']);
  });
});

describe('balancing', () => {
  const row = (name: string, used: number, capacity: number, more: Partial<HostRow> = {}) =>
    ({ id: name, name, state: 'live', draining: false, capacity, used: String(used), ...more }) as HostRow;
  const all = (rows: readonly HostRow[]) => (id: string) =>
    Array.from({ length: Number(rows.find((one) => one.id === id)?.used) }, (_, n) => `${id}${n}`);

  it('moves the sessions that have been idle for the longest time, until hosts differ by at most 10 %', () => {
    const rows = [row('a', 20, 22), row('b', 20, 22), row('c', 0, 22)];
    const moves = balancing(rows, all(rows), new Set(['a0']));
    expect(moves[0]).toEqual({ session: expect.stringMatching(/^(a1|b0)$/), from: expect.any(String), to: 'c' });
    const used = new Map(rows.map(({ name, used }) => [name, Number(used)]));
    for (const { from, to } of moves) {
      used.set(from, (used.get(from) ?? 0) - 1);
      used.set(to, (used.get(to) ?? 0) + 1);
    }
    const shares = [...used.values()].map((count) => count / 22);
    expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(0.1);
    expect(moves.every(({ to }) => to === 'c')).toBe(true);
  });

  it('ends for hosts of any size', () => {
    const hosts = fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.double({ min: 0, max: 1, noNaN: true })), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(hosts, (sizes) => {
        const rows = sizes.map(([capacity, share], n) => row(`h${n}`, Math.floor(capacity * share), capacity));
        const moves = balancing(rows, all(rows), new Set());
        expect(moves.length).toBeLessThanOrEqual(400);
        expect(new Set(moves.map((move) => move.session)).size).toBe(moves.length);
      }),
    );
  });

  it('leaves out hosts that are not live or are drained', () => {
    const rows = [row('a', 9, 10), row('b', 0, 10, { state: 'lost' }), row('c', 0, 10, { draining: true })];
    expect(balancing(rows, all(rows), new Set())).toEqual([]);
  });
});
