import { DAY_MS, deferred, GatewayError, HOUR_MS, SECOND_MS } from '@chat-web/protocol';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { RequestJournal } from '../events/request-journal.ts';
import type { NewRecord } from '../journal/frame.ts';
import { KnownPeople, personOf } from './known-people.ts';
import { Pacing, type PacingLimits } from './pacing.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, n) => `${12025550000 + n}@c.us`);

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 1_800_000_000_000 }));

type Outcome = 'sent' | 'refused' | 'unknown';
const ERRORS = {
  refused: new GatewayError('recipient_not_found', 'unregistered'),
  unknown: new GatewayError('outcome_unknown', 'who knows'),
} as const;

/** Pacing over a journal in memory, whose disk may be full. */
function paced(limits: Partial<PacingLimits>) {
  let people = new KnownPeople();
  const records: (NewRecord & { at: number; seq: number })[] = [];
  const disk = { isFull: false, isSlow: false };
  let refusal: GatewayError | undefined;
  const append = async (record: NewRecord) => {
    await (disk.isSlow ? turn() : Promise.resolve());
    if (disk.isFull) throw new Error('full');
    const stored = { ...record, at: Date.now(), seq: records.length + 1 };
    records.push(stored);
    people.apply(stored);
  };
  const all = { maxSendsPerSecond: 0, maxNewChatsPerDay: 0, ...limits };
  const begin = () => new Pacing({ limits: all, people, journal: { append }, sessions: { refusalOf: () => refusal } });
  let pacing = begin();
  const passed: { to: string; at: number; outcome: Outcome }[] = [];
  return {
    disk,
    passed,
    append,
    get pacing() {
      return pacing;
    },
    /** The gateway is killed and started again. */
    restart: () => {
      people = new KnownPeople();
      for (const record of records) people.apply(record);
      pacing = begin();
    },
    refuse: (error: GatewayError) => {
      refusal = error;
    },
    send: async (to: string, outcome: Outcome | Promise<Outcome> = 'sent', id = 'main', type = 'text') =>
      pacing.send('sendMessage', { id, to, type }, async () => {
        const at = Date.now();
        const became = await outcome;
        passed.push({ to, at, outcome: became });
        if (became !== 'sent') throw ERRORS[became];
        return { id: 'x', to };
      }),
  };
}

/** Pacing of new chats whose records are in memory only. */
function pacingOf(maxNewChatsPerDay: number) {
  const people = new KnownPeople();
  const append = async (record: NewRecord) => people.apply({ ...record, seq: 1, at: Date.now() });
  const limits = { maxSendsPerSecond: 0, maxNewChatsPerDay };
  const pacing = new Pacing({ limits, people, journal: { append }, sessions: { refusalOf: () => undefined } });
  return { people, pacing };
}

/** Seconds after which a refused send may be retried; undefined if it was not refused. */
async function waitOf(send: Promise<unknown>): Promise<number | undefined> {
  try {
    await send;
    return undefined;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return error.code === 'rate_limited' ? error.retryAfterSeconds : undefined;
  }
}

const turn = () => new Promise(setImmediate);

describe('new chats in a day', () => {
  const steps = fc.array(
    fc.record({
      waitMs: fc.oneof(fc.nat(SECOND_MS), fc.nat(9 * HOUR_MS)),
      who: fc.array(fc.nat(40), { minLength: 1, maxLength: 6 }),
      outcome: fc.constantFrom<Outcome>('sent', 'sent', 'refused', 'unknown'),
      restart: fc.boolean(),
    }),
    { maxLength: 60 },
  );

  it('never exceed the limit in any 24 hours, and the time to wait is correct', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 5 }), async (taken, max) => {
        const one = paced({ maxNewChatsPerDay: max });
        const everyone = numbers(42);
        for (const { waitMs, who, outcome, restart } of taken) {
          vi.advanceTimersByTime(waitMs);
          if (restart) one.restart();
          const waits = await Promise.all(who.map((n) => waitOf(one.send(everyone[n] ?? '', outcome))));
          await turn();
          const wait = waits.find((seconds) => seconds !== undefined);
          if (wait === undefined || Math.random() < 0.7) continue;
          expect(wait).toBeLessThanOrEqual(DAY_MS / SECOND_MS);
          vi.advanceTimersByTime(wait * SECOND_MS);
          expect(await waitOf(one.send(everyone[41] ?? '', 'refused'))).toBeUndefined();
          await turn();
        }
        const firsts = new Map<string, number>();
        for (const { to, at, outcome } of one.passed) if (outcome !== 'refused' && !firsts.has(to)) firsts.set(to, at);
        const times = [...firsts.values()].sort((a, b) => a - b);
        for (const [n, at] of times.entries())
          expect(at - (times[n - max] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(DAY_MS);
      }),
      { numRuns: 200 },
    );
  });

  it('pass up to the limit if sixteen start at once; the others are refused before anything is done', async () => {
    const one = paced({ maxNewChatsPerDay: 4 });
    const waits = await Promise.all(numbers(16).map((to) => waitOf(one.send(to))));
    expect(one.passed).toHaveLength(4);
    expect(waits.filter((seconds) => seconds === DAY_MS / SECOND_MS)).toHaveLength(12);
    expect(one.pacing.refused.get('new_chats_per_day')).toBe(12);
  });

  it('are given back if nothing was sent, and only then', async () => {
    const one = paced({ maxNewChatsPerDay: 1 });
    const [ada = '', ben = '', carla = ''] = numbers(3);
    await expect(one.send(ada, 'refused')).rejects.toThrow('unregistered');
    await turn();
    await expect(one.send(ben, 'unknown')).rejects.toThrow('who knows');
    await turn();
    await expect(one.send(carla)).rejects.toMatchObject({ code: 'rate_limited' });
    await one.send(ben); // He may have received it.
    one.restart();
    await expect(one.send(ada)).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it('count once for two messages to one person, and are given back if neither was sent', async () => {
    const one = paced({ maxNewChatsPerDay: 1 });
    const [ada = '', ben = ''] = numbers(2);
    const { promise: later, resolve: decide } = deferred<Outcome>();
    const both = [one.send(ada, 'refused'), one.send(ada, later)].map(waitOf);
    await turn();
    expect(await waitOf(one.send(ben))).toBe(DAY_MS / SECOND_MS);
    decide('refused');
    await Promise.all(both);
    const [toBen, toAda] = [one.send(ben), waitOf(one.send(ada))];
    await toBen;
    expect(await toAda).toBe(DAY_MS / SECOND_MS);
  });

  it('count again for a person who is sent the next message while the last one is being given back', async () => {
    const one = paced({ maxNewChatsPerDay: 1 });
    one.disk.isSlow = true;
    const [ada = '', ben = ''] = numbers(2);
    await one.send(ada, 'refused').catch(() => {});
    await one.send(ada);
    await turn();
    expect(await waitOf(one.send(ben))).toBe(DAY_MS / SECOND_MS);
  });

  it('are those with people: not replies, groups, reactions and statuses', async () => {
    const one = paced({ maxNewChatsPerDay: 1 });
    const [ada = '', ben = '', carla = ''] = numbers(3);
    await one.append({
      kind: 'event',
      name: 'message',
      session: 'main',
      key: 'a',
      text: JSON.stringify({ from: carla, isStatus: false }),
    });
    await one.send(ada);
    for (const to of [carla, '1203@g.us', '12@broadcast', 'status@broadcast', ada]) await one.send(to);
    await one.send(ben, 'sent', 'main', 'reaction');
    await one.send(ben, 'sent', 'other');
    await expect(one.send(ben)).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it('also recognise a person by the id that the network returns', async () => {
    const { people, pacing } = pacingOf(1);
    const [ada = ''] = numbers(1);
    await pacing.send('sendMessage', { id: 'main', to: ada, type: 'text' }, async () => ({ to: '77@lid' }));
    expect(people.knows('main', personOf('77@lid') ?? 0)).toBe(true);
    await pacing.send('sendMessage', { id: 'main', to: '77@lid', type: 'text' }, async () => null);
  });

  it('count a person once whose number has two forms, whichever is first', async () => {
    const { people, pacing } = pacingOf(2);
    const [bob = ''] = numbers(1);
    const [form, otherForm] = ['551187654321@c.us', '5511987654321@c.us'];
    const send = (to: string, network = to) =>
      pacing.send('sendMessage', { id: 'main', to, type: 'text' }, async () => ({ to: network }));
    await send(form);
    await Promise.all([send(otherForm, form), send(otherForm, form)]);
    await send(otherForm, form);
    expect(people.firstsOf('main', Date.now())).toHaveLength(1);
    await send(bob);
    expect(people.firstsOf('main', Date.now())).toHaveLength(2);
  });

  it('are charged to their key, and refused while its requests have stored too much; what follows them is not', async () => {
    const asked: unknown[][] = [];
    const append = async (...one: Parameters<RequestJournal['append']>) => {
      asked.push([one[0].name, ...one.slice(1)]);
      people.apply({ ...one[0], seq: 1, at: Date.now() });
    };
    const people = new KnownPeople();
    const limits = { maxSendsPerSecond: 0, maxNewChatsPerDay: 9 };
    const full = async () => Promise.reject(new GatewayError('rate_limited', 'too much'));
    const [ada = '', ben = ''] = numbers(2);
    const send = (to: string, store: typeof append, answer: () => Promise<unknown>) => {
      const pacing = new Pacing({
        limits,
        people,
        journal: { append: store },
        sessions: { refusalOf: () => undefined },
      });
      return pacing.send('sendMessage', { id: 'main', to, type: 'text' }, answer, 'key');
    };
    await expect(send(ada, full, () => expect.unreachable())).rejects.toMatchObject({ code: 'rate_limited' });
    await send(ada, append, async () => ({ to: '77@lid' }));
    await expect(send(ben, append, () => Promise.reject(ERRORS.refused))).rejects.toBe(ERRORS.refused);
    expect(asked).toEqual([
      ['first_message', 'key'],
      ['person_known', 'key', 'nothing'],
      ['first_message', 'key'],
      ['first_message_unsent', 'key', 'nothing'],
    ]);
  });

  it('are refused while they cannot be stored; known people can still be sent to', async () => {
    const one = paced({ maxNewChatsPerDay: 2 });
    const [ada = '', ben = ''] = numbers(2);
    await one.send(ada);
    one.disk.isFull = true;
    await expect(one.send(ben)).rejects.toMatchObject({ code: 'insufficient_resources' });
    await one.send(ada);
    one.disk.isFull = false;
    await one.send(ben);
    expect(one.passed).toHaveLength(3);
  });
});

describe('sends in a second', () => {
  it('never exceed the limit plus the burst, and the time to wait is correct', async () => {
    const waits = fc.array(fc.oneof(fc.constant(0), fc.nat(3 * SECOND_MS)), { maxLength: 100 });
    const rates = fc.constantFrom(0.001, 0.1, 0.25, 0.3, 1, 2.5, 7, 1_000);
    await fc.assert(
      fc.asyncProperty(waits, rates, async (waited, rate) => {
        const beganAt = performance.now();
        const one = paced({ maxSendsPerSecond: rate });
        const times: number[] = [];
        const burst = Math.max(1, rate);
        for (const ms of waited) {
          vi.advanceTimersByTime(ms);
          const wait = await waitOf(one.send('1203@g.us'));
          if (wait === undefined) times.push(performance.now() - beganAt);
          else if (Math.random() < 0.3) {
            vi.advanceTimersByTime(wait * SECOND_MS);
            expect(await waitOf(one.send('1203@g.us'))).toBeUndefined();
            times.push(performance.now() - beganAt);
          }
        }
        for (const [n, from] of times.entries()) {
          expect(n + 1).toBeLessThanOrEqual((from / SECOND_MS) * rate + 1e-3); // None to spare at the beginning.
          for (const [more, to] of times.slice(n).entries())
            expect(more + 1).toBeLessThanOrEqual(burst + ((to - from) / SECOND_MS) * rate + 1e-3);
        }
      }),
    );
  });

  it('count for each session, statuses and forwarded messages included, reactions and other operations not', async () => {
    const one = paced({ maxSendsPerSecond: 2 });
    vi.advanceTimersByTime(60 * SECOND_MS);
    const post = () => one.pacing.send('postStatus', { id: 'main', type: 'text' }, async () => null);
    await post();
    await one.send('1203@g.us');
    expect(await waitOf(post())).toBe(1);
    const forward = () => one.pacing.send('forwardMessage', { id: 'main', to: '1203@g.us' }, async () => null);
    expect(await waitOf(forward())).toBe(1);
    await one.send('1203@g.us', 'sent', 'main', 'reaction');
    await one.send('1203@g.us', 'sent', 'other');
    await one.pacing.send('editMessage', { id: 'main' }, async () => null);
    expect(one.pacing.refused.get('sends_per_second')).toBe(2);
  });

  it('that are refused do not count towards the day, and the other way round', async () => {
    const one = paced({ maxSendsPerSecond: 1, maxNewChatsPerDay: 1 });
    vi.advanceTimersByTime(SECOND_MS);
    const [ada = '', ben = '', carla = ''] = numbers(3);
    await one.send('1203@g.us');
    expect(await waitOf(one.send(ada))).toBe(1);
    vi.advanceTimersByTime(SECOND_MS);
    await one.send(ben);
    vi.advanceTimersByTime(SECOND_MS);
    expect(await waitOf(one.send(carla))).toBe(DAY_MS / SECOND_MS - 1);
    await one.send(ben);
  });
});

it('a session that cannot send answers as without limits, and uses up none of them', async () => {
  const one = paced({ maxSendsPerSecond: 1, maxNewChatsPerDay: 1 });
  one.refuse(new GatewayError('session_not_ready', 'not ready'));
  for (const to of numbers(3)) await expect(one.send(to)).rejects.toMatchObject({ code: 'session_not_ready' });
  expect(one.passed).toEqual([]);
});
