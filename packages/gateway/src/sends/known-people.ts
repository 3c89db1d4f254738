import { createHash } from 'node:crypto';
import { listOf } from '@chat-web/protocol';
import * as v from 'valibot';
import type { Fold, FoldPart } from '../journal/folds.ts';
import type { JournalRecord, NewRecord } from '../journal/frame.ts';
import type { StateKeeper } from '../moving/state-keeper.ts';
import { NumberSet } from './number-set.ts';

/** How long a first message counts. Milliseconds. */
export const DAY_MS = 24 * 3_600_000;

/** A first message to a person. */
interface First {
  readonly person: number;
  /** Unix time in ms. */
  readonly at: number;
}

/** The state of a session. People are hashes of their ids. */
interface People {
  /** The linked account. */
  account: number | undefined;
  /** People seen since `older` was filled. */
  recent: NumberSet;
  older: NumberSet;
  /** In order of sending; those older than a day are moved when the next one is added. */
  firsts: readonly First[];
}

const NOTES = {
  /** A first message to the person in the text is about to be sent. */
  first: 'first_message',
  /** It was not sent. */
  unsent: 'first_message_unsent',
  /** The person in the text is known. */
  known: 'person_known',
  /** The text, a part of the state, comes from another gateway. */
  moved: 'people_moved',
} as const;

/** No account writes to this many people within months; at least as many are remembered. */
const SET_SIZE = 50_000;
/** A placeholder for a person whom the next account does not know. */
const NOBODY = -1;
const PERSON = /^\d{1,20}@(c\.us|lid)$/;

/** A person as the fold knows them; undefined for the id of a group, a broadcast list or the status feed. */
export function personOf(id: string): number | undefined {
  return PERSON.test(id) ? createHash('sha256').update(id).digest().readUInt32LE(0) : undefined;
}

/**
 * The people to whom a session has written, or who have written to it, and its first messages of the last day. Derived
 * from the journal, and kept only while it is used.
 *
 * A person is 32 bits of a hash of their id: one in 40,000 strangers counts as known to a session that knows 100,000
 * people, which is the maximum. A thousand people take 4 to 8 KB. The number and the hidden id (`@lid`) of one person
 * count as two people, unless the network has reported both: a message comes from the number if the page knows it, and
 * the answer to a first message names its recipient.
 */
export class KnownPeople implements Fold, StateKeeper {
  readonly name = 'people';
  readonly #sessions = new Map<string, People>();

  apply({ kind, name, session, text, at }: JournalRecord): void {
    if (kind === 'forget') this.#sessions.delete(session);
    else if (kind === 'event' && name === 'message') this.#onMessage(session, text);
    else if (kind === 'event' && name === 'ready') this.#onReady(session, text);
    else if (kind === 'note' && name === NOTES.moved) this.#addMoved(session, JSON.parse(text) as StoredPart);
    else if (kind === 'note') this.#onNote(session, name, Number(text), at);
  }

  #onMessage(session: string, text: string): void {
    const { from, isStatus } = JSON.parse(text) as { readonly from: string; readonly isStatus: boolean };
    const person = isStatus ? undefined : personOf(from);
    if (person !== undefined) learn(this.#of(session), person);
  }

  /** A new account knows no one; today's messages still count. */
  #onReady(session: string, text: string): void {
    const account = personOf((JSON.parse(text) as { readonly wid: string }).wid);
    const people = this.#of(session);
    if (people.account !== undefined && people.account !== account) {
      people.recent = new NumberSet();
      people.older = new NumberSet();
      people.firsts = people.firsts.map(({ at }) => ({ person: NOBODY, at }));
    }
    people.account = account;
    if (account !== undefined) learn(people, account);
  }

  #onNote(session: string, name: string, person: number, at: number): void {
    switch (name) {
      case NOTES.first: {
        const people = this.#of(session);
        for (const first of people.firsts) if (!isWithinDay(first, at)) learn(people, first.person);
        people.firsts = [...people.firsts.filter((first) => isWithinDay(first, at)), { person, at }];
        return;
      }
      case NOTES.unsent: {
        const people = this.#of(session);
        const last = people.firsts.findLastIndex((first) => first.person === person);
        people.firsts = people.firsts.filter((_, index) => index !== last);
        return;
      }
      case NOTES.known:
        learn(this.#of(session), person);
    }
  }

  #addMoved(session: string, { account, firsts, older, recent }: StoredPart): void {
    const people = this.#of(session);
    if (firsts) Object.assign(people, { account, firsts });
    for (const set of [older, recent])
      for (const person of NumberSet.of(Buffer.from(set ?? '', 'base64')).sorted()) learn(people, person);
  }

  #of(session: string): People {
    const known = this.#sessions.get(session);
    if (known) return known;
    const people = { account: undefined, recent: new NumberSet(), older: new NumberSet(), firsts: [] };
    this.#sessions.set(session, people);
    return people;
  }

  knows(session: string, person: number): boolean {
    const people = this.#sessions.get(session);
    if (!people) return false;
    return people.recent.has(person) || people.older.has(person) || this.hasFirst(session, person);
  }

  /** True if a first message to this person was recorded, and not yet moved to the known people. */
  hasFirst(session: string, person: number): boolean {
    return this.#sessions.get(session)?.firsts.some((first) => first.person === person) ?? false;
  }

  /** When the first messages of the last day were sent, oldest first, in Unix ms. */
  firstsOf(session: string, now: number): number[] {
    const { firsts = [] } = this.#sessions.get(session) ?? {};
    const times = firsts.filter((first) => isWithinDay(first, now)).map(({ at }) => at);
    return times.sort((one, other) => one - other); // The clock may have been changed.
  }

  *parts(): Iterable<FoldPart> {
    for (const session of this.#sessions.keys())
      for (const part of this.partsOf(session)) yield { session, text: JSON.stringify(part) };
  }

  *partsOf(session: string): Iterable<StoredPart> {
    const people = this.#sessions.get(session);
    if (!people) return;
    const { account, recent, older, firsts } = people;
    yield { account, firsts };
    if (older.size > 0) yield { older: older.toBytes().toString('base64') };
    if (recent.size > 0) yield { recent: recent.toBytes().toString('base64') };
  }

  learn(session: string, part: unknown): NewRecord[] {
    const text = JSON.stringify(v.parse(movedPart, part));
    return [{ kind: 'note', name: NOTES.moved, session, key: '', text }];
  }

  restore({ session, text }: FoldPart): void {
    const { account, firsts, older, recent } = JSON.parse(text) as StoredPart; // Ours: its checksum matches.
    const people = this.#of(session);
    if (firsts) Object.assign(people, { account, firsts });
    if (older !== undefined) people.older = NumberSet.of(Buffer.from(older, 'base64'));
    if (recent !== undefined) people.recent = NumberSet.of(Buffer.from(recent, 'base64'));
  }
}

interface StoredPart {
  readonly account?: number | undefined;
  readonly firsts?: readonly First[] | undefined;
  readonly older?: string | undefined;
  readonly recent?: string | undefined;
}

const whole = v.pipe(v.number(), v.integer());
const person32 = v.pipe(whole, v.minValue(NOBODY), v.maxValue(2 ** 32 - 1));
const MOST_FIRSTS = 20_000;
/** A set has 4 bytes for each person. */
const set32 = v.pipe(v.string(), v.maxLength(SET_SIZE * 6), v.base64());
const movedPart = v.strictObject({
  account: v.optional(person32),
  firsts: v.optional(listOf(v.strictObject({ person: person32, at: v.pipe(whole, v.minValue(0)) }), MOST_FIRSTS)),
  older: v.optional(set32),
  recent: v.optional(set32),
});

function learn(people: People, person: number): void {
  if (person === NOBODY) return;
  if (people.recent.size >= SET_SIZE) {
    people.older = people.recent;
    people.recent = new NumberSet();
  }
  people.recent.add(person);
}

/** Works even if the clock was set back. */
function isWithinDay({ at }: First, now: number): boolean {
  return Math.abs(now - at) < DAY_MS;
}

/** Records that change the state without an event. */
export const peopleNotes = {
  first: (session: string, person: number) => note(session, NOTES.first, person),
  unsent: (session: string, person: number) => note(session, NOTES.unsent, person),
  known: (session: string, person: number) => note(session, NOTES.known, person),
} as const;

function note(session: string, name: string, person: number): NewRecord {
  return { kind: 'note', name, session, key: '', text: String(person) };
}
