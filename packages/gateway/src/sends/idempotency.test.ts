import { deferred, GatewayError, type SendAttempt } from '@chat-web/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { ownMessageNote, PublishedEvents } from '../events/published-events.ts';
import type { Needs } from '../events/request-journal.ts';
import { checkpointParts } from '../journal/folds.ts';
import type { JournalRecord, NewRecord } from '../journal/frame.ts';
import { NotStoredError } from '../journal/journal.ts';
import { type Execution, fingerprintOf, Idempotency, type KeyedRequest } from './idempotency.ts';
import { keyNotes, SentKeys } from './sent-keys.ts';

/** A journal in memory, whose disk may fail, whose shares may be used up, and which may lose old records. */
class Records {
  readonly keys = new SentKeys();
  readonly published = new PublishedEvents();
  readonly payers = new Set<string | undefined>();
  all: JournalRecord[] = [];
  isFull = false;
  lacking: readonly Needs[] = [];

  async append(record: NewRecord, keyId?: string, needs: Needs = 'room'): Promise<void> {
    await Promise.resolve(); // A disk write is asynchronous.
    if (this.isFull) throw new NotStoredError('no space left on device');
    if (this.lacking.includes(needs)) throw new GatewayError('rate_limited', 'too much');
    this.payers.add(keyId);
    const stored = { ...record, seq: this.all.length + 1, at: Date.now() };
    this.all.push(stored);
    this.keys.apply(stored);
    this.published.apply(stored);
  }

  async find(seq: number): Promise<JournalRecord | undefined> {
    return this.all[seq - 1];
  }
}

const request: KeyedRequest = {
  session: 'main',
  keyId: 'key',
  hash: 'h',
  fingerprint: 'f',
  choosesMessageId: true,
  isHarmlessTwice: false,
};

/** Carries out requests with these outcomes, one after the other, and records the attempts. */
function execution(...outcomes: (GatewayError | object)[]) {
  const attempts: (SendAttempt | undefined)[] = [];
  const execute: Execution['execute'] = async (attempt) => {
    attempts.push(attempt);
    const outcome = outcomes.shift() ?? expect.unreachable();
    if (outcome instanceof GatewayError) throw outcome;
    return outcome;
  };
  return { attempts, refusal: (): GatewayError | undefined => undefined, execute };
}

let records: Records;
let idempotency: Idempotency;
beforeEach(() => {
  records = new Records();
  idempotency = new Idempotency(records, records.keys, records.published);
});

const lost = new GatewayError('outcome_unknown', 'the worker died');
const sent = { id: 'true_1@c.us_3EB0' };

describe('a request that was carried out', () => {
  it('has an id of its own, and is answered from the journal', async () => {
    const run = execution(sent);
    expect(await idempotency.run(request, run)).toEqual({ answer: sent, isReplayed: false });
    expect(await idempotency.run(request, run)).toEqual({ answer: sent, isReplayed: true });
    expect(run.attempts).toEqual([{ messageId: expect.stringMatching(/^3EB0[0-9A-F]{18}$/), isRepeat: false }]);
  });

  it('is not carried out again when the journal no longer has its answer', async () => {
    const run = execution(sent);
    await idempotency.run(request, run);
    records.all = [];
    await expect(idempotency.run(request, run)).rejects.toMatchObject({
      code: 'outcome_unknown',
      id: run.attempts[0]?.messageId,
    });
    expect(run.attempts).toHaveLength(1);
  });

  it('is charged to its key', async () => {
    const run = execution(sent, new GatewayError('recipient_not_found', 'unknown'));
    await idempotency.run(request, run);
    await expect(idempotency.run({ ...request, hash: 'i' }, run)).rejects.toThrow();
    expect([records.all.length, ...records.payers]).toEqual([4, 'key']);
  });

  const long = { ...sent, body: '⡀'.repeat(90_000) };
  it.each([
    ['is too long', [], long],
    ['has no room', ['half'], sent],
  ] as const)('is not carried out again if its answer %s: the error has the full id', async (_, lacking, answer) => {
    records.lacking = lacking;
    const run = execution(answer);
    const { execute } = run;
    const reported: Execution = {
      ...run,
      execute: async (attempt) => {
        await records.append(ownMessageNote('main', `true_1@c.us_${attempt?.messageId}`));
        return execute(attempt);
      },
    };
    expect(await idempotency.run(request, reported)).toEqual({ answer, isReplayed: false });
    await expect(idempotency.run(request, reported)).rejects.toMatchObject({
      code: 'outcome_unknown',
      id: `true_1@c.us_${run.attempts[0]?.messageId}`,
    });
    expect(run.attempts).toHaveLength(1);
    expect(Math.max(...records.all.map(({ text }) => text.length))).toBeLessThan(1_000);
  });

  it('is not answered once its session is deleted', async () => {
    const run = execution(sent);
    await idempotency.run(request, run);
    const gone = new GatewayError('session_not_found', 'there is no session main');
    await expect(idempotency.run(request, { ...run, refusal: () => gone })).rejects.toBe(gone);
  });

  it('is answered while the session is not ready', async () => {
    const run = execution(sent);
    await idempotency.run(request, run);
    const refusal = () => new GatewayError('session_not_ready', 'it is starting');
    expect(await idempotency.run(request, { ...run, refusal })).toMatchObject({ isReplayed: true });
  });
});

describe('a request whose outcome is unknown', () => {
  it('is repeated with the same id until the outcome is known', async () => {
    const run = execution(lost, lost, sent);
    await expect(idempotency.run(request, run)).rejects.toMatchObject({ code: 'outcome_unknown' });
    const messageId = run.attempts[0]?.messageId;
    await expect(idempotency.run(request, run)).rejects.toMatchObject({ code: 'outcome_unknown', id: messageId });
    expect(await idempotency.run(request, run)).toEqual({ answer: sent, isReplayed: false });
    expect(run.attempts.slice(1)).toEqual([
      { messageId, isRepeat: true },
      { messageId, isRepeat: true },
    ]);
  });

  it.each([
    ['12025550102@c.us', ''],
    ['12@g.us', '_7@lid'],
  ])('has the full id once the page has reported it: in %s', async (chat, author) => {
    const run = execution(lost);
    await expect(idempotency.run(request, run)).rejects.toThrow();
    const { messageId = '' } = run.attempts[0] ?? {};
    const full = `true_${chat}_${messageId}${author}`;
    for (const id of ['true_3@c.us_3EB0AA', full, 'true_3@c.us_3EB0BB'])
      await records.append(ownMessageNote('main', id));
    const refusal = () => new GatewayError('session_not_ready', 'it is starting');
    const again = idempotency.run(request, { ...run, refusal });
    await expect(again).rejects.toMatchObject({ code: 'outcome_unknown', id: full });
  });

  it('stays unknown after any retry that does not name the message', async () => {
    const refusal = () => new GatewayError('session_not_ready', 'it is starting');
    const run = execution(lost, new GatewayError('recipient_not_found', 'gone'), sent);
    await expect(idempotency.run(request, run)).rejects.toThrow();
    await expect(idempotency.run(request, { ...run, refusal })).rejects.toMatchObject({ code: 'outcome_unknown' });
    await expect(idempotency.run(request, run)).rejects.toMatchObject({
      code: 'outcome_unknown',
      message: expect.stringContaining('gone'),
    });
    expect(await idempotency.run(request, run)).toMatchObject({ answer: sent });
    expect(new Set(run.attempts.map((attempt) => attempt?.messageId)).size).toBe(1);
  });

  it('is not settled by a refusal either: the first attempt may have been sent', async () => {
    const refused = new GatewayError('not_permitted', 'the network refused the message', { id: sent.id });
    const run = execution(lost, refused, sent);
    await expect(idempotency.run(request, run)).rejects.toThrow();
    await expect(idempotency.run(request, run)).rejects.toMatchObject({ code: 'outcome_unknown', id: sent.id });
    await idempotency.run(request, run);
    expect(new Set(run.attempts.map((attempt) => attempt?.messageId)).size).toBe(1);
    expect(run.attempts[2]?.isRepeat).toBe(true);
  });

  it('is never repeated if we cannot choose the id', async () => {
    const run = execution(lost);
    const group = { ...request, choosesMessageId: false };
    for (let n = 0; n < 3; n += 1)
      await expect(idempotency.run(group, run)).rejects.toMatchObject({ code: 'outcome_unknown' });
    expect(run.attempts).toEqual([undefined]);
  });

  it('is carried out again if that is harmless, until it succeeds', async () => {
    const run = execution(lost, new GatewayError('message_not_found', 'gone'), sent);
    const reaction = { ...request, choosesMessageId: false, isHarmlessTwice: true };
    for (let n = 0; n < 2; n += 1)
      await expect(idempotency.run(reaction, run)).rejects.toMatchObject({ code: 'outcome_unknown' });
    expect(await idempotency.run(reaction, run)).toEqual({ answer: sent, isReplayed: false });
    expect(await idempotency.run(reaction, run)).toEqual({ answer: sent, isReplayed: true });
    expect(run.attempts).toEqual([undefined, undefined, undefined]);
  });

  it('is known to the next process, also from a checkpoint', async () => {
    const run = execution(lost, sent);
    await expect(idempotency.run(request, run)).rejects.toThrow();
    const next = new SentKeys();
    for (const { session, text } of checkpointParts(records.keys)) next.restore(session, JSON.parse(text), 0);
    await new Idempotency(records, next, records.published).run(request, run);
    expect(run.attempts[1]).toEqual({ ...run.attempts[0], isRepeat: true });
  });
});

describe('a request that was refused', () => {
  it('is carried out again', async () => {
    const run = execution(new GatewayError('recipient_not_found', 'unknown'), sent);
    await expect(idempotency.run(request, run)).rejects.toMatchObject({ code: 'recipient_not_found' });
    // Also another request with the same key.
    expect(await idempotency.run({ ...request, fingerprint: 'g' }, run)).toMatchObject({ isReplayed: false });
    expect(run.attempts[1]?.isRepeat).toBe(false);
  });

  it('releases its key even if the disk is full in the meantime', async () => {
    const group = { ...request, choosesMessageId: false };
    const run = execution(new GatewayError('recipient_not_found', 'unknown'), sent);
    const filling: Execution = {
      ...run,
      execute: (attempt) => {
        records.isFull = true;
        return run.execute(attempt);
      },
    };
    await expect(idempotency.run(group, filling)).rejects.toMatchObject({ code: 'recipient_not_found' });
    expect(idempotency.knows(group)).toBe(false);
    records.isFull = false;
    expect(await idempotency.run(group, run)).toEqual({ answer: sent, isReplayed: false });
    expect(await idempotency.run(group, run)).toEqual({ answer: sent, isReplayed: true });
  });

  it('before anything is done leaves no trace', async () => {
    const refused = new GatewayError('session_not_ready', 'it is starting');
    await expect(idempotency.run(request, { ...execution(), refusal: () => refused })).rejects.toBe(refused);
    expect(records.all).toEqual([]);
  });

  it('because its session or key has stored too much is not sent', async () => {
    records.lacking = ['room'];
    const run = execution();
    await expect(idempotency.run(request, run)).rejects.toMatchObject({ code: 'rate_limited' });
    expect([run.attempts, records.all]).toEqual([[], []]);
  });

  it('because the disk is full is not sent', async () => {
    records.isFull = true;
    const run = execution();
    await expect(idempotency.run(request, run)).rejects.toMatchObject({ code: 'insufficient_resources' });
    expect(run.attempts).toEqual([]);
  });
});

it('a disk that fills up after the send does not cause a second send', async () => {
  const run = execution(sent, sent);
  const { execute } = run;
  const filling: Execution = {
    ...run,
    execute: async (attempt) => {
      records.isFull = true;
      return execute(attempt);
    },
  };
  expect(await idempotency.run(request, filling)).toMatchObject({ answer: sent });
  await idempotency.run(request, filling);
  expect(run.attempts[1]).toEqual({ ...run.attempts[0], isRepeat: true });
});

it('a second request is refused while the first is in progress, and a different one always', async () => {
  const { promise, resolve: finish } = deferred<object>();
  const slow: Execution = { refusal: () => undefined, execute: () => promise };
  const first = idempotency.run(request, slow);
  const second = idempotency.run(request, slow);
  await expect(second).rejects.toMatchObject({ code: 'idempotency_in_progress', retryAfterSeconds: 1 });
  const other = idempotency.run({ ...request, fingerprint: 'g' }, slow);
  await expect(other).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  await new Promise((resolve) => setImmediate(resolve));
  finish(sent);
  expect(await first).toMatchObject({ answer: sent });
});

it('a hash distinguishes parts that only look equal when joined', () => {
  expect(fingerprintOf('a', 'b')).toBe(fingerprintOf('a', 'b'));
  expect(fingerprintOf('ab', '')).not.toBe(fingerprintOf('a', 'b'));
});

it('simultaneous requests do not exceed the limit of a session', async () => {
  const full = 100_000;
  for (let n = 2; n < full; n += 1)
    records.keys.apply({
      ...keyNotes.begun('main', `${n}`, { fingerprint: 'f' }),
      seq: n,
      at: Date.now(),
    });
  const run = execution(...Array<object>(5).fill(sent));
  const outcomes = await Promise.allSettled(
    ['a', 'b', 'c', 'd', 'e'].map((hash) => idempotency.run({ ...request, hash }, run)),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected', 'rejected']);
  expect(records.keys.list('main')).toHaveLength(full);
});
