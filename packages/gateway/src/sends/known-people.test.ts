import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS } from '@chat-web/protocol';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { checkpointParts } from '../journal/folds.ts';
import type { JournalRecord, NewRecord } from '../journal/frame.ts';
import { Journal } from '../journal/journal.ts';
import { KnownPeople, peopleNotes, personOf } from './known-people.ts';

const ADA = '12025550101@c.us';
const BEN = '12025550102@c.us';
const NOW = 1_800_000_000_000;

const person = (id: string) => personOf(id) ?? Number.NaN;
const event = (name: string, data: object): NewRecord => ({
  kind: 'event',
  name,
  session: 'main',
  key: '',
  text: JSON.stringify(data),
});
const message = (from: string, more: object = {}) => event('message', { from, isStatus: false, ...more });
const ready = (wid: string) => event('ready', { wid });
const FORGET: NewRecord = { kind: 'forget', name: '', session: 'main', key: '', text: '' };

function after(...records: readonly (NewRecord & { at?: number })[]): KnownPeople {
  const people = new KnownPeople();
  for (const [seq, record] of records.entries()) people.apply({ at: NOW, ...record, seq } satisfies JournalRecord);
  return people;
}
const knows = (people: KnownPeople, id: string) => people.knows('main', person(id));

describe('a person', () => {
  it('is a phone number or a hidden id, but not a group, a list or the status feed', () => {
    const others = ['120363041234567890@g.us', '1-2@g.us', '12@broadcast', 'status@broadcast', '', 'x@c.us'];
    expect(others.map(personOf)).toEqual(others.map(() => undefined));
    expect(new Set([personOf(ADA), personOf(BEN), personOf('12025550101@lid')]).size).toBe(3);
  });

  it('is known after writing to the account, but not in a group or a status', () => {
    const people = after(
      message(BEN),
      message('1-2@g.us', { author: '3@c.us' }),
      message('4@c.us', { isStatus: true }),
    );
    expect([BEN, '3@c.us', '4@c.us', ADA].map((id) => knows(people, id))).toEqual([true, false, false, false]);
    expect(people.knows('other', person(BEN))).toBe(false);
  });

  it('is known after the account wrote to them, unless nothing was sent', () => {
    const { first, unsent, known } = peopleNotes;
    const people = after(
      first('main', person(ADA)),
      first('main', person(BEN)),
      unsent('main', person(BEN)),
      known('main', person('5@lid')),
    );
    expect([ADA, BEN, '5@lid'].map((id) => knows(people, id))).toEqual([true, false, true]);
    expect(people.firstsOf('main', NOW)).toEqual([NOW]);
  });

  it('stays known when the first message no longer counts', () => {
    const first = (id: string, at: number) => ({ ...peopleNotes.first('main', person(id)), at });
    const people = after(first(ADA, NOW), first(BEN, NOW + DAY_MS));
    expect([ADA, BEN].map((id) => knows(people, id))).toEqual([true, true]);
    expect(people.hasFirst('main', person(ADA))).toBe(false);
    expect(people.firstsOf('main', NOW + DAY_MS)).toEqual([NOW + DAY_MS]);
    expect(people.firstsOf('main', NOW + 2 * DAY_MS)).toEqual([]);
    expect(people.firstsOf('main', NOW - DAY_MS)).toEqual([]); // The clock was wrong.
  });

  it('is unknown to another account of the session, and known to the same one', () => {
    const before = [ready('9@c.us'), message(ADA), peopleNotes.first('main', person(BEN))];
    const same = after(...before, ready('9@c.us'));
    expect([ADA, BEN, '9@c.us'].map((id) => knows(same, id))).toEqual([true, true, true]);
    const another = after(...before, ready('8@c.us'));
    expect([ADA, BEN, '9@c.us', '8@c.us'].map((id) => knows(another, id))).toEqual([false, false, false, true]);
    expect(another.firstsOf('main', NOW)).toEqual([NOW]);
    expect([...checkpointParts(after(...before, FORGET))]).toEqual([]);
  });
});

it('takes 4 to 8 bytes per person, and forgets the oldest', () => {
  const people = new KnownPeople();
  for (let n = 0; n < 260_000; n += 1) {
    const text = String((n * 2_654_435_761) % 2 ** 32);
    people.apply({ ...peopleNotes.known('main', 0), text, seq: n, at: NOW });
  }
  const parts = [...checkpointParts(people)];
  const bytes = parts.reduce((sum, { text }) => sum + text.length, 0);
  expect(bytes).toBeLessThan(100_000 * 4 * (4 / 3) + 1_000);
  for (const { text } of parts) expect(text.length).toBeLessThan(300_000);
  const knowsNth = (n: number) => people.knows('main', (n * 2_654_435_761) % 2 ** 32);
  expect([0, 100_000, 210_000, 259_999].map(knowsNth)).toEqual([false, false, true, true]);
});

it('accepts three parts from an archive, and merges large and small ones', () => {
  const part = (from: number) => {
    const set = Buffer.alloc(4 * 50_000);
    for (let n = 0; n < 50_000; n += 1) set.writeUInt32LE((from + n * 7) >>> 0, 4 * n);
    return { recent: set.toString('base64') };
  };
  const people = new KnownPeople();
  expect(() => people.requireRoom('main', [{}, {}, {}, {}])).toThrow('more parts');
  expect(() => people.requireRoom('main', [{}, {}, {}])).not.toThrow();
  for (const from of [1, 2, 3]) people.restore('main', part(from));
  expect([1, 2, 3].map((person) => people.knows('main', person))).toEqual([false, true, true]);
  for (const small of [
    [11, 12],
    [12, 13],
  ]) {
    const set = Buffer.alloc(4 * small.length);
    for (const [at, person] of small.entries()) set.writeUInt32LE(person, 4 * at);
    people.restore('other', { recent: set.toString('base64') });
  }
  expect([11, 12, 13, 14].map((person) => people.knows('other', person))).toEqual([true, true, true, false]);
});

it('is the same after a restart, even if its records have expired', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'chat-web-people-'));
  const options = { dir, maxBytes: 1_000_000, maxAgeMs: 1e9, log: pino({ enabled: false }) };
  try {
    const before = new KnownPeople();
    const first = await Journal.open({ ...options, folds: [before] });
    await first.append(ready('9@c.us'));
    await first.append(message(ADA));
    await first.append(peopleNotes.first('main', person(BEN)));
    const filler = event('message_ack', { filler: 'x'.repeat(100_000) });
    for (let n = 0; n < 30; n += 1) await first.append(filler);
    await first.housekeep();
    expect(first.oldestSeq).toBeGreaterThan(4);
    await first.close();
    const again = new KnownPeople();
    const second = await Journal.open({ ...options, folds: [again] });
    expect([ADA, BEN, '9@c.us', '8@c.us'].map((id) => knows(again, id))).toEqual([true, true, true, false]);
    expect(again.firstsOf('main', Date.now())).toEqual(before.firstsOf('main', Date.now()));
    await second.append(ready('8@c.us'));
    expect(knows(again, ADA)).toBe(false);
    await second.close();
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
