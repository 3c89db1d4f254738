import {
  BoundedMap,
  DAY_MS,
  GatewayError,
  getOrAdd,
  HOUR_MS,
  JsonBounds,
  listOf,
  type Operation,
  operations,
  SECOND_MS,
} from '@chat-web/protocol';
import * as v from 'valibot';
import { chunksOf } from '../chunks-of.ts';
import type { Fold, MovingState, RecordFinder } from '../journal/folds.ts';
import { type JournalRecord, note, writtenSeq } from '../journal/frame.ts';

export interface SentKey {
  /** The fingerprint of its request: a different request with the same key is refused. */
  readonly fingerprint: string;
  /** The id of the message, without its chat; undefined if the gateway does not choose it. */
  readonly messageId: string | undefined;
  /** Unix time in ms. */
  readonly beganAt: number;
  /** The id of the caller's key, if that limits how many messages it may send. */
  readonly limitedKey: string | undefined;
  /** The seq of the record with the answer; undefined while the outcome is open. */
  readonly doneSeq: number | undefined;
}

export const KEY_LIFETIME_MS = DAY_MS;
/** About 250 bytes of memory each: more than one a second, all day. */
const MAX_KEYS_OF_A_SESSION = 100_000;
/** With expired keys behind others: moved ones are not in order of first use. */
const MAX_STORED_KEYS = 2 * MAX_KEYS_OF_A_SESSION;
const KEYS_IN_A_PART = 1_000;
const MAX_ANSWER_LENGTH = 1_048_576;
/** The largest answers have some hundred values. */
const ANSWER_JSON = { depth: 8, values: 10_000 };
/** The total size of the answers: with the most keys that a session can have, a state must stay within its limit. */
const MAX_ANSWERS_LENGTH = 8 * 1_048_576;

/** The answers of operations with a key: a moved answer is returned to callers like any other. */
const keyedAnswer = v.union(
  Object.values<Operation>(operations).flatMap(({ keyed, answer }) => (keyed ? [answer] : [])),
);
const answerText = v.pipe(
  v.string(),
  v.maxLength(MAX_ANSWER_LENGTH),
  v.check(isBoundedJson),
  v.parseJson(),
  // Other fields are dropped. Another version may use another form: then the answer is dropped.
  v.fallback(v.pipe(keyedAnswer, v.stringifyJson()), ''),
);
function isBoundedJson(text: string): boolean {
  try {
    new JsonBounds(ANSWER_JSON, () => new Error()).scan(Buffer.from(text));
    return true;
  } catch {
    return false;
  }
}

const jsonText = v.pipe(v.string(), v.parseJson());
const keyHash = v.pipe(v.string(), v.regex(/^[\w-]{22}$/));
const messageId = v.optional(v.pipe(v.string(), v.regex(/^[0-9A-F]{1,64}$/)));
/** A time in the future would outlast all others. */
const beganAt = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(0),
  v.maxValue(Number.MAX_SAFE_INTEGER),
  v.transform((at) => Math.min(at, Date.now())),
);
const storedHash = v.pipe(v.string(), v.minLength(1), v.maxLength(64));
const limitedKey = v.optional(v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/)));
const begunKey = v.strictObject({ hash: storedHash, fingerprint: storedHash, messageId, limitedKey, beganAt });
const storedPart = listOf(v.strictObject({ ...begunKey.entries, doneSeq: v.optional(writtenSeq) }), KEYS_IN_A_PART);
const movedKey = v.strictObject({
  hash: keyHash,
  fingerprint: keyHash,
  messageId,
  limitedKey,
  beganAt,
  /** JSON; empty: answered, but the answer is no longer kept. Absent while the outcome is open. */
  answer: v.optional(v.union([v.literal(''), answerText])),
});
const movedPart = v.strictTuple([movedKey]);
/** One key, so that its record in the journal has one answer. */
export type MovedPart = v.InferOutput<typeof movedPart>;

/** A key in a part. `answer`: only if it comes from another gateway, and was answered there. */
interface StoredKey extends Omit<SentKey, 'doneSeq' | 'messageId' | 'limitedKey'> {
  readonly hash: string;
  readonly limitedKey?: string | undefined;
  readonly messageId?: string | undefined;
  readonly doneSeq?: number | undefined;
  readonly answer?: string | undefined;
}

const NOTES = { begun: 'key_begun', done: 'key_done', free: 'key_free' } as const;

/** The Idempotency-Keys of each session, by hash, derived from the journal. */
export class SentKeys implements Fold, MovingState {
  readonly name = 'keys';
  readonly part = movedPart;
  readonly stored = storedPart;
  /** In order of first use. */
  readonly #sessions = new Map<string, BoundedMap<string, SentKey>>();

  apply({ kind, name, session, key, text, at, seq }: JournalRecord): void {
    if (kind === 'forget') this.#sessions.delete(session);
    if (kind !== 'note') return;
    const keys = this.#sessions.get(session);
    if (name === NOTES.begun) this.#begin(session, key, text, at);
    else if (name === NOTES.free) keys?.delete(key);
    else if (name === NOTES.done) {
      const begun = keys?.get(key);
      if (begun) keys?.set(key, { ...begun, doneSeq: seq });
    }
  }

  #begin(session: string, hash: string, text: string, at: number): void {
    const { fingerprint, messageId, limitedKey } = JSON.parse(text) as Begun;
    this.restore(session, [v.parse(begunKey, { hash, fingerprint, messageId, limitedKey, beganAt: at })], 0);
  }

  #put(session: string, hash: string, key: SentKey): void {
    const keys = getOrAdd(this.#sessions, session, () => new BoundedMap<string, SentKey>(MAX_STORED_KEYS));
    keys.setNewest(hash, key);
    for (const [oldest, { beganAt }] of keys) {
      if (beganAt > key.beganAt - KEY_LIFETIME_MS) return;
      keys.delete(oldest);
    }
  }

  /**
   * Until when a session can take no more keys, as Unix time in ms; undefined if it can. No key is dropped before its
   * time. `beginning`: how many more are being written to disk.
   */
  fullUntil(session: string, beginning = 0): number | undefined {
    const keys = this.#sessions.get(session) ?? new Map<string, SentKey>();
    let tooMany = keys.size + beginning - MAX_KEYS_OF_A_SESSION;
    for (const { beganAt } of keys.values()) {
      if (tooMany < 0) return undefined;
      if (isKept(beganAt)) return beganAt + KEY_LIFETIME_MS;
      tooMany -= 1; // It is dropped with the next one.
    }
    return undefined;
  }

  /**
   * Until when a key has sent as many messages with a session as it may within an hour, as Unix time in ms; undefined if it
   * has not. `beginning`: how many more are being written to disk.
   */
  spentUntil(session: string, keyId: string, perHour: number, beginning = 0): number | undefined {
    const since = Date.now() - HOUR_MS;
    const times: number[] = [];
    for (const { limitedKey, beganAt } of this.#sessions.get(session)?.values() ?? [])
      if (limitedKey === keyId && beganAt > since) times.push(beganAt);
    const tooMany = times.length + beginning - perHour;
    if (tooMany < 0) return undefined;
    // Moved ones are not in order; those in progress count as sent now.
    return (times.sort((one, other) => one - other)[tooMany] ?? Date.now()) + HOUR_MS;
  }

  requireRoom(session: string, parts: readonly MovedPart[]): void {
    const hashes = new Set(parts.map(([{ hash }]) => hash));
    const others = this.list(session).filter(([hash]) => !hashes.has(hash));
    const tooMany = others.length + hashes.size - MAX_KEYS_OF_A_SESSION;
    if (tooMany <= 0) return;
    // Moved keys are not in order of first use.
    const times = others.map(([, { beganAt }]) => beganAt).sort((a, b) => a - b);
    const oldest = times[tooMany - 1];
    if (oldest === undefined) throw new Error('it has more Idempotency-Keys than a session can have');
    throw new GatewayError(
      'insufficient_resources',
      `this gateway still has too many Idempotency-Keys of session ${session}: they expire after 24 hours; nothing was changed`,
      { retryAfterSeconds: Math.ceil((oldest + KEY_LIFETIME_MS - Date.now()) / SECOND_MS) },
    );
  }

  /** The keys of a session that were used within their lifetime, by hash. */
  list(session: string): [hash: string, key: SentKey][] {
    return [...(this.#sessions.get(session) ?? [])].filter(([, { beganAt }]) => isKept(beganAt));
  }

  of(session: string, hash: string): SentKey | undefined {
    const key = this.#sessions.get(session)?.get(hash);
    return key && isKept(key.beganAt) ? key : undefined;
  }

  sessions(): Iterable<string> {
    return this.#sessions.keys();
  }

  partsOf(session: string): Iterable<StoredKey[]> {
    const all = this.list(session).map(([hash, key]) => ({ hash, ...key }));
    return chunksOf(all, KEYS_IN_A_PART);
  }

  /** The answers, which are in the journal, move along with the keys. */
  async *partsToMove(session: string, journal: RecordFinder): AsyncIterable<MovedPart> {
    const keys = this.list(session);
    const seqs = keys.flatMap(([, { doneSeq }]) => doneSeq ?? []);
    const answers = new Map<number, string>();
    for await (const record of journal.findAll(seqs)) answers.set(record.seq, answerIn(record));
    let length = 0;
    for (const seq of seqs.toReversed()) {
      const { length: more = 0 } = answers.get(seq) ?? '';
      length += more;
      // The oldest are the least likely to be requested.
      if (length > MAX_ANSWERS_LENGTH || more > MAX_ANSWER_LENGTH) answers.delete(seq);
    }
    for (const [hash, { doneSeq, ...key }] of keys)
      yield [{ hash, ...key, answer: doneSeq === undefined ? undefined : (answers.get(doneSeq) ?? '') }];
  }

  restore(session: string, keys: readonly StoredKey[], seq: number): void {
    for (const { hash, fingerprint, messageId, limitedKey, beganAt, doneSeq: storedSeq, answer } of keys) {
      const doneSeq = answer === undefined ? storedSeq : seq;
      if (isKept(beganAt)) this.#put(session, hash, { fingerprint, messageId, limitedKey, beganAt, doneSeq });
    }
  }
}

/**
 * The answer in the record with a key's `doneSeq`, as JSON; empty if another gateway has answered and not kept it, or the
 * record is not ours.
 */
export function answerIn({ kind, text }: JournalRecord): string {
  if (kind !== 'moved') return v.is(jsonText, text) ? text : '';
  const moved = v.safeParse(v.pipe(jsonText, movedPart), text);
  return moved.success ? (moved.output[0].answer ?? '') : '';
}

function isKept(beganAt: number): boolean {
  return beganAt > Date.now() - KEY_LIFETIME_MS;
}

interface Begun extends Pick<SentKey, 'fingerprint'> {
  readonly messageId?: string | undefined;
  readonly limitedKey?: string | undefined;
}

/** Records that change the state. `hash`: of the key. */
export const keyNotes = {
  begun: (session: string, hash: string, { fingerprint, messageId, limitedKey }: Begun) =>
    note(session, NOTES.begun, hash, JSON.stringify({ fingerprint, messageId, limitedKey })),
  done: (session: string, hash: string, answer: string) => note(session, NOTES.done, hash, answer),
  /** The request was refused, and nothing was done: the key may be used again. */
  free: (session: string, hash: string) => note(session, NOTES.free, hash, ''),
} as const;
