import { join } from 'node:path';
import type { GatewayError } from '@chat-web/protocol';
import { MB } from '@chat-web/protocol';
import { sentMessage, temporaryFolder } from '@chat-web/testing';
import { pino } from 'pino';
import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import { DeliveredMessages, deliveryNotes } from '../events/delivered-messages.ts';
import { OpenAcks } from '../events/open-acks.ts';
import type { MovingState } from '../journal/folds.ts';
import type { NewRecord } from '../journal/frame.ts';
import { Journal } from '../journal/journal.ts';
import { KnownPeople, peopleNotes, personOf } from '../sends/known-people.ts';
import { answerIn, keyNotes, SentKeys } from '../sends/sent-keys.ts';
import { type MovingStates, portionsOf, readState, writeState } from './moving-state.ts';

const log = pino({ level: 'silent' });
const NOW = Math.floor(Date.now() / 1_000);
const [HASH, OTHER, OPEN] = ['a'.repeat(22), 'b'.repeat(22), 'c'.repeat(22)];
const FINGERPRINT = 'f'.repeat(22);
const [ADA, BEN] = ['12025550101@c.us', '12025550102@c.us'];

/** A gateway's journal, with the state derived from it. */
async function gateway() {
  const folder = temporaryFolder();
  const open = async () => {
    const [delivered, acks, keys, people] = [
      new DeliveredMessages(),
      new OpenAcks(),
      new SentKeys(),
      new KnownPeople(),
    ];
    const journal = await Journal.open({
      dir: join(folder.path, 'journal'),
      folds: [delivered, acks, keys, people],
      log,
      maxBytes: 64 * MB,
      maxAgeMs: 3_600_000,
    });
    const states: MovingStates = { folds: [delivered, acks, keys, people], others: [] };
    return { journal, delivered, acks, keys, people, states };
  };
  return { open, ...(await open()), [Symbol.dispose]: folder[Symbol.dispose] };
}
type Opened = Awaited<ReturnType<Awaited<ReturnType<typeof gateway>>['open']>>;

const message = (id: string, timestamp: number): NewRecord => ({
  kind: 'event',
  name: 'message',
  session: 'main',
  key: id,
  text: JSON.stringify({ id, timestamp, from: BEN, isStatus: false }),
});
const ack = (id: string, of: number): NewRecord => ({
  kind: 'event',
  name: 'message_ack',
  session: 'main',
  key: '',
  text: JSON.stringify({ id, ack: of }),
});
const ready: NewRecord = {
  kind: 'event',
  name: 'ready',
  session: 'main',
  key: '',
  text: JSON.stringify({ wid: ADA }),
};

async function append({ journal }: Opened, ...records: readonly NewRecord[]): Promise<void> {
  for (const record of records) await journal.append(record);
}

/** The answer to a send, as JSON. `body`: its text. */
const answerTo = (body: string) => JSON.stringify(sentMessage({ body, timestamp: NOW }));

async function answerAt({ journal }: Opened, seq: number): Promise<string | undefined> {
  const record = await journal.find(seq);
  return record && answerIn(record);
}

async function move(from: Opened, to: Opened): Promise<void> {
  await append(
    to,
    ...(await readState(to.states, 'main', await writeState(from.states, 'main', from.journal))).records,
  );
}

describe('the state of a session', () => {
  it('is known on the other gateway, also after a restart', async () => {
    using here = await gateway();
    using there = await gateway();
    const person = personOf(BEN) as number;
    await append(here, ready, deliveryNotes.until('main', NOW - 500), message('one', NOW - 100), message('two', NOW));
    await append(here, ack('sent', 1), ack('sent', 3), peopleNotes.first('main', person + 1));
    await append(here, keyNotes.begun('main', HASH, { fingerprint: FINGERPRINT, messageId: '3EB0AA' }));
    await append(here, keyNotes.done('main', HASH, answerTo('text')));
    await append(here, keyNotes.begun('main', OPEN, { fingerprint: FINGERPRINT, messageId: '3EB0BB' }));
    await append(here, keyNotes.begun('main', OTHER, { fingerprint: FINGERPRINT, messageId: undefined }));
    await move(here, there);
    await there.journal.close();
    for (const now of [there, await there.open()]) {
      expect(now.delivered.has('main', 'two')).toBe(true);
      expect(now.delivered.until('main')).toBe(here.delivered.until('main'));
      expect(now.acks.list('main')).toEqual([{ id: 'sent', ack: 3 }]);
      expect(now.people.knows('main', person)).toBe(true);
      expect(now.people.firstsOf('main', Date.now())).toHaveLength(1);
      expect(now.keys.of('main', OPEN)).toEqual(here.keys.of('main', OPEN));
      expect(now.keys.of('main', OTHER)).toEqual(here.keys.of('main', OTHER));
      const { doneSeq = 0, ...key } = now.keys.of('main', HASH) ?? {};
      expect({ ...here.keys.of('main', HASH) }).toMatchObject(key);
      expect(await answerAt(now, doneSeq)).toBe(answerTo('text'));
    }
  });

  it('fits into an archive with any number of answers: the oldest are left out', async () => {
    using here = await gateway();
    using there = await gateway();
    const answer = answerTo('x'.repeat(MB / 4 - answerTo('').length));
    const hashes = Array.from({ length: 36 }, (_, n) => String(n).padStart(22, 'k'));
    for (const hash of hashes) {
      await append(here, keyNotes.begun('main', hash, { fingerprint: FINGERPRINT, messageId: '3EB0AA' }));
      await append(here, keyNotes.done('main', hash, answer));
    }
    await move(here, there);
    const seqs = hashes.map((hash) => there.keys.of('main', hash)?.doneSeq ?? 0);
    const answers = await Promise.all(seqs.map(async (seq) => (await answerAt(there, seq))?.length));
    expect(answers).toEqual([...Array(4).fill(0), ...Array(32).fill(MB / 4)]);
  });

  it('is merged with the existing state if the session comes back', async () => {
    using here = await gateway();
    using there = await gateway();
    await append(here, message('one', NOW - 9), deliveryNotes.missing('main', NOW - 50), ack('sent', 1));
    await move(here, there);
    expect(there.delivered.missingFrom('main')).toBe(NOW - 50);
    await append(there, deliveryNotes.complete('main'), message('two', NOW), ack('sent', 3));
    await move(there, here);
    await move(there, here);
    expect(here.delivered.missingFrom('main')).toBeUndefined();
    expect(['one', 'two'].map((id) => here.delivered.has('main', id))).toEqual([true, true]);
    expect(here.acks.list('main')).toEqual([{ id: 'sent', ack: 3 }]);
  });

  it('that is not in the journal is restored by itself; an archive without it clears what is here', async () => {
    using here = await gateway();
    const restored: unknown[] = [];
    const levels: MovingState = {
      name: 'levels',
      part: v.strictObject({ level: v.number() }),
      partsOf: (session) => (session === 'main' ? [{ level: 7 }] : []),
      restore: async (...given) => void restored.push(given),
      clear: async (session) => void restored.push(session),
    };
    const states: MovingStates = { folds: [], others: [levels] };
    const arrived = await readState(states, 'main', await writeState(states, 'main', here.journal));
    expect([arrived.records, restored]).toEqual([[], []]);
    await arrived.restoreOthers();
    await (await readState(states, 'shop', Buffer.alloc(0))).restoreOthers();
    expect(restored).toEqual([['main', { level: 7 }, 0], 'shop']);
  });

  it('is empty for an unknown session', async () => {
    using here = await gateway();
    expect((await writeState(here.states, 'main', here.journal)).toString()).toBe('');
  });
});

describe('a state that a gateway never writes', () => {
  const delivered = (part: unknown) => JSON.stringify({ name: 'delivered', part });
  const key = (changes: object) =>
    JSON.stringify({ name: 'keys', part: [{ hash: HASH, fingerprint: FINGERPRINT, beganAt: 1, ...changes }] });
  const people = (part: object) => JSON.stringify({ name: 'people', part });

  it.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['another field', JSON.stringify({ name: 'acks', part: [], more: 1 })],
    ['an unknown name', JSON.stringify({ name: 'passwords', part: {} })],
    ['the prototype', JSON.stringify({ name: '__proto__', part: {} })],
    ['an empty line', ''],
    ['a line that is too long', `{"name":"${'x'.repeat(2 * MB)}"}`],
    ['ids that are none', delivered({ ids: [[1, 2]] })],
    ['ids with line breaks', delivered({ ids: [['a\nb', 2]] })],
    ['too many ids', delivered({ ids: Array(501).fill(['a', 1]) })],
    ['a time that is none', delivered({ until: 'x', ids: [] })],
    ['a time in another age', delivered({ until: 2 ** 40, ids: [] })],
    ['an ack that is none', JSON.stringify({ name: 'acks', part: [{ id: 'a', ack: 9 }] })],
    ['too many acks', JSON.stringify({ name: 'acks', part: Array(1_001).fill({ id: 'a', ack: 1 }) })],
    ['a key that is none', key({ hash: '../x' })],
    ['a message id that is none', key({ messageId: 'x y' })],
    ['an answer that is no JSON', key({ answer: '{' })],
    ['an answer that is too long', key({ answer: answerTo('x'.repeat(MB)) })],
    ['people that are none', people({ recent: '!' })],
    ['too many people', people({ recent: Buffer.alloc(MB).toString('base64') })],
    ['a person that is none', people({ firsts: [{ person: 2 ** 32, at: 1 }] })],
  ])('%s', async (_, line) => {
    using here = await gateway();
    const good = JSON.stringify({ name: 'acks', part: [{ id: 'sent', ack: 1 }] });
    const state = Buffer.from(`${good}\n${line}\n`);
    await expect(readState(here.states, 'main', state)).rejects.toThrow(
      expect.objectContaining({ code: 'invalid_archive', message: expect.stringContaining('line 2') }),
    );
    expect(here.acks.list('main')).toEqual([]);
  });

  it('an answer with more fields than the operation returns: the rest is left out', async () => {
    using here = await gateway();
    const given = [answerTo('text'), '"12025550102-1@g.us"', '{"id":"a","messageId":"a","emoji":"👍"}', ''];
    const more = [answerTo('text').replace('{', '{"more":1,'), ...given.slice(1)];
    const state = Buffer.from(more.map((answer) => `${key({ answer })}\n`).join(''));
    const { records } = await readState(here.states, 'main', state);
    expect(records.map((record) => answerIn({ ...record, seq: 1, at: 0 }))).toEqual(given);
  });

  it('an answer that no operation returns: the key counts as answered, but the answer is not stored', async () => {
    using here = await gateway();
    const answers = ['{"id":"3EB0AA"}', '"x"', '{"version":2,"answer":{}}', 'null', answerTo('text')];
    const hashes = answers.map((_, n) => String(n).padStart(22, 'k'));
    const lines = answers.map((answer, n) => `${key({ hash: hashes[n], answer, beganAt: Date.now() })}\n`);
    await append(here, ...(await readState(here.states, 'main', Buffer.from(lines.join('')))).records);
    const seqs = hashes.map((hash) => here.keys.of('main', hash)?.doneSeq ?? 0);
    const texts = await Promise.all(seqs.map((seq) => answerAt(here, seq)));
    expect(texts).toEqual(['', '', '', '', answerTo('text')]);
  });

  it('more keys than a session can have', async () => {
    using here = await gateway();
    const lines = Array.from({ length: 100_001 }, (_, n) => `${key({ hash: String(n).padStart(22, 'k') })}\n`);
    await expect(readState(here.states, 'main', Buffer.from(lines.join('')))).rejects.toMatchObject({
      code: 'invalid_archive',
      message: expect.stringContaining('more Idempotency-Keys'),
    });
  });

  it('keys that do not fit beside the existing ones are refused until later', async () => {
    using here = await gateway();
    for (let n = 0; n < 99_999; n += 1) {
      const begun = keyNotes.begun('main', String(n).padStart(22, 'k'), { fingerprint: FINGERPRINT });
      here.keys.apply({ ...begun, seq: n + 1, at: Date.now() });
    }
    const known = '7'.padStart(22, 'k');
    const read = (...hashes: string[]) =>
      readState(here.states, 'main', Buffer.from(hashes.map((hash) => `${key({ hash })}\n`).join('')));
    expect((await read(HASH, known)).records).toHaveLength(2);
    const refused = (await read(HASH, OTHER).catch((error: unknown) => error)) as GatewayError;
    expect(refused).toMatchObject({ code: 'insufficient_resources', message: expect.stringContaining('too many') });
    expect(refused.retryAfterSeconds).toBeGreaterThan(86_300);
    expect(refused.retryAfterSeconds).toBeLessThanOrEqual(86_400);
  });

  it('an incomplete line', async () => {
    using here = await gateway();
    const state = Buffer.from(JSON.stringify({ name: 'acks', part: [] }));
    await expect(readState(here.states, 'main', state)).rejects.toThrow(
      expect.objectContaining({ code: 'invalid_archive' }),
    );
  });

  it('unsorted people, and too many ids: both are accepted, and the ids are bounded', async () => {
    using here = await gateway();
    const numbers = Buffer.alloc(12);
    for (const [index, number] of [30, 10, 20].entries()) numbers.writeUInt32LE(number, 4 * index);
    const lines = [people({ recent: numbers.toString('base64') })];
    for (let n = 0; n < 40; n += 1)
      lines.push(delivered({ ids: Array.from({ length: 500 }, (_, at) => [`id ${n} ${at}`, NOW]) }));
    await append(here, ...(await readState(here.states, 'main', Buffer.from(`${lines.join('\n')}\n`))).records);
    for (const number of [10, 20, 30]) expect(here.people.knows('main', number)).toBe(true);
    expect(here.delivered.has('main', 'id 39 499')).toBe(true);
    expect(here.delivered.has('main', 'id 0 0')).toBe(false);
  });
});

it('is stored in portions that leave room in the journal for other sessions', () => {
  const records = [300_000, 200_000, 60_000, 60_000, ...Array<number>(60).fill(1)].map((length) =>
    keyNotes.done('main', HASH, 'x'.repeat(length)),
  );
  const portions = [...portionsOf(records)];
  expect(portions.flat()).toEqual(records);
  expect(portions.map(({ length }) => length)).toEqual([1, 2, 50, 11]);
  expect([...portionsOf([])]).toEqual([]);
});

it('is refused with a sentence that does not repeat its values', async () => {
  using here = await gateway();
  const secret = 'secret '.repeat(100_000);
  for (const part of [{ hash: secret }, { [secret]: 1 }, [{ id: `${secret}\n`, ack: 9 }]])
    for (const name of ['keys', 'acks']) {
      const state = Buffer.from(`${JSON.stringify({ name, part })}\n`);
      const refused = (await readState(here.states, 'main', state).catch((error: Error) => error)) as Error;
      expect(refused.message).toMatch(/^the state in the archive has an invalid line 1: /);
      expect(refused.message.length).toBeLessThan(300);
      expect(refused.message).not.toContain('secret');
    }
});

it('is bounded before it is parsed: in values, in levels, in lines, and in the values of its answers', async () => {
  using here = await gateway();
  const key = { hash: HASH, fingerprint: FINGERPRINT, beganAt: 1, answer: `[${'[],'.repeat(10_001)}0]` };
  const line = (name: string, json: string) => `{"name":"${name}","part":${json}}\n`;
  for (const [state, why, parses] of [
    [line('acks', `[${'[],'.repeat(65_001)}0]`), 'line 1: it has too many values', 0],
    [line('acks', `${'['.repeat(8)}${']'.repeat(8)}`), 'line 1: it has too many values', 0],
    [line('acks', '[]').repeat(101_001), 'line 101001: there are too many', 101_000],
    [line('keys', JSON.stringify([key])), 'line 1: it has invalid data', 1],
  ] as const) {
    const parse = vi.spyOn(JSON, 'parse');
    const refused = await readState(here.states, 'main', Buffer.from(state)).catch((error: Error) => error);
    const { calls } = parse.mock;
    parse.mockRestore();
    expect((refused as Error).message).toContain(why);
    expect(calls).toHaveLength(parses);
  }
});
