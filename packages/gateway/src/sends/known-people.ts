import { createHash } from 'node:crypto';
import { DAY_MS, getOrAdd, listOf } from '@chat-web/protocol';
import * as v from 'valibot';
import type { Fold, MovingState } from '../journal/folds.ts';
import { type JournalRecord, note } from '../journal/frame.ts';
import { NumberSet } from './number-set.ts';

interface First {
  readonly person: number;
  /** Unix time in ms. */
  readonly at: number;
}

/** The state of a session. People are hashes of their ids. */
interface People {
  account: number | undefined;
  /** People seen since `older` was filled. */
  recent: NumberSet;
  older: NumberSet;
  /** In order of sending; those older than a day are moved when the next one is added. */
  firsts: First[];
}

const NOTES = {
  /** A first message to the person in the text is about to be sent. */
  first: 'first_message',
  unsent: 'first_message_unsent',
  /** The person in the text is known. */
  known: 'person_known',
} as const;
const NOTE_NAMES: readonly string[] = Object.values(NOTES);

const storedMessage = v.object({ from: v.string(), isStatus: v.boolean() });
const storedReady = v.object({ wid: v.string() });

/** No account writes to this many people within months; at least as many are remembered. */
const SET_SIZE = 50_000;
/** A placeholder for a person whom the next account does not know. */
const NOBODY = -1;
const PERSON = /^\d{1,20}@(c\.us|lid)$/;

const integer = v.pipe(v.number(), v.integer());
const person32 = v.pipe(integer, v.minValue(NOBODY), v.maxValue(2 ** 32 - 1));
const MAX_FIRST_SENDS = 20_000;
/** First messages, older and recent people. */
const MAX_PARTS = 3;
/** A set has 4 bytes for each person. */
const set32 = v.pipe(v.string(), v.maxLength(SET_SIZE * 6), v.base64());
const peoplePart = v.strictObject({
  account: v.optional(person32),
  firsts: v.optional(listOf(v.strictObject({ person: person32, at: v.pipe(integer, v.minValue(0)) }), MAX_FIRST_SENDS)),
  older: v.optional(set32),
  recent: v.optional(set32),
});
type PeoplePart = v.InferOutput<typeof peoplePart>;

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
export class KnownPeople implements Fold, MovingState {
  readonly name = 'people';
  readonly part = peoplePart;
  readonly stored = peoplePart;
  readonly #sessions = new Map<string, People>();

  apply({ kind, name, session, text, at }: JournalRecord): void {
    if (kind === 'forget') this.#sessions.delete(session);
    else if (kind === 'event' && name === 'message') this.#onMessage(session, text);
    else if (kind === 'event' && name === 'ready') this.#onReady(session, text);
    else if (kind === 'note' && NOTE_NAMES.includes(name))
      this.#onNote(session, name, v.parse(person32, Number(text)), at);
  }

  #onMessage(session: string, text: string): void {
    const { from, isStatus } = v.parse(storedMessage, JSON.parse(text));
    const person = isStatus ? undefined : personOf(from);
    if (person !== undefined) learn(this.#of(session), person);
  }

  /** A new account knows no one; today's messages still count. */
  #onReady(session: string, text: string): void {
    const account = personOf(v.parse(storedReady, JSON.parse(text)).wid);
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
        people.firsts.push({ person, at });
        for (let [oldest] = people.firsts; oldest; [oldest] = people.firsts) {
          if (isWithinDay(oldest, at) && people.firsts.length <= MAX_FIRST_SENDS) return;
          people.firsts.shift();
          learn(people, oldest.person);
        }
        return;
      }
      case NOTES.unsent: {
        const people = this.#of(session);
        const last = people.firsts.findLastIndex((first) => first.person === person);
        if (last >= 0) people.firsts.splice(last, 1);
        return;
      }
      case NOTES.known:
        learn(this.#of(session), person);
    }
  }

  #of(session: string): People {
    return getOrAdd(this.#sessions, session, () => ({
      account: undefined,
      recent: new NumberSet(),
      older: new NumberSet(),
      firsts: [],
    }));
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

  sessions(): Iterable<string> {
    return this.#sessions.keys();
  }

  requireRoom(_: string, parts: readonly PeoplePart[]): void {
    if (parts.length > MAX_PARTS) throw new Error('it has more parts of known people than a session has');
  }

  *partsOf(session: string): Iterable<PeoplePart> {
    const people = this.#sessions.get(session);
    if (!people) return;
    const { account, recent, older, firsts } = people;
    yield { account, firsts: [...firsts] };
    if (older.size > 0) yield { older: older.toBytes().toString('base64') };
    if (recent.size > 0) yield { recent: recent.toBytes().toString('base64') };
  }

  restore(session: string, { account, firsts, older, recent }: PeoplePart): void {
    const people = this.#of(session);
    if (firsts) Object.assign(people, { account, firsts });
    for (const set of [older, recent]) if (set !== undefined) addAll(people, NumberSet.of(Buffer.from(set, 'base64')));
  }
}

function learn(people: People, person: number): void {
  if (person === NOBODY) return;
  makeRoom(people);
  people.recent.add(person);
}

function addAll(people: People, set: NumberSet): void {
  if (people.recent.size + set.size <= SET_SIZE) people.recent = people.recent.union(set);
  else [people.older, people.recent] = [people.recent, set];
}

function makeRoom(people: People): void {
  if (people.recent.size < SET_SIZE) return;
  people.older = people.recent;
  people.recent = new NumberSet();
}

/** Works even if the clock was set back. */
function isWithinDay({ at }: First, now: number): boolean {
  return Math.abs(now - at) < DAY_MS;
}

export const peopleNotes = {
  first: (session: string, person: number) => note(session, NOTES.first, '', String(person)),
  unsent: (session: string, person: number) => note(session, NOTES.unsent, '', String(person)),
  known: (session: string, person: number) => note(session, NOTES.known, '', String(person)),
} as const;
