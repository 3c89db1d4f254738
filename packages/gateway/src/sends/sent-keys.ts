import type { Fold, FoldPart } from '../journal/folds.ts';
import type { JournalRecord, NewRecord } from '../journal/frame.ts';

/** The state of an Idempotency-Key. */
export interface SentKey {
  /** The fingerprint of its request: a different request with the same key is refused. */
  readonly fingerprint: string;
  /** The id of the message, without its chat; undefined if the gateway does not choose it. */
  readonly messageId: string | undefined;
  /** Unix time in ms. */
  readonly beganAt: number;
  /** The seq of the record with the answer; undefined while the outcome is open. */
  readonly doneSeq: number | undefined;
}

/** How long a key is kept. */
export const KEY_LIFETIME_MS = 24 * 60 * 60_000;
/** About 250 bytes of memory each: more than one a second, all day. */
const MAX_KEYS_OF_A_SESSION = 100_000;
const KEYS_IN_A_PART = 1_000;

const NOTES = { begun: 'key_begun', done: 'key_done', free: 'key_free' } as const;

/** The Idempotency-Keys of each session, by hash, derived from the journal. */
export class SentKeys implements Fold {
  readonly name = 'keys';
  /** In order of first use. */
  readonly #sessions = new Map<string, Map<string, SentKey>>();

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
    const written = JSON.parse(text) as Begun; // Ours.
    const { fingerprint, messageId } = written;
    const beganAt = Math.min(written.beganAt ?? at, at);
    const keys = this.#keysOf(session);
    keys.delete(hash);
    keys.set(hash, { fingerprint, messageId, beganAt, doneSeq: undefined });
    for (const [oldest, { beganAt: since }] of keys) {
      if (since > beganAt - KEY_LIFETIME_MS) return;
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
   * Until when a session has no room for these keys, by hash, beside its own, as Unix time in ms; undefined if it has.
   * Infinity: they are more than a session can have.
   */
  fullForUntil(session: string, hashes: ReadonlySet<string>): number | undefined {
    const others = this.list(session).filter(([hash]) => !hashes.has(hash));
    const tooMany = others.length + hashes.size - MAX_KEYS_OF_A_SESSION;
    if (tooMany <= 0) return undefined;
    // Moved keys are not in order of first use.
    const times = others.map(([, { beganAt }]) => beganAt).sort((a, b) => a - b);
    return (times[tooMany - 1] ?? Infinity) + KEY_LIFETIME_MS;
  }

  #keysOf(session: string): Map<string, SentKey> {
    const keys = this.#sessions.get(session) ?? new Map<string, SentKey>();
    this.#sessions.set(session, keys);
    return keys;
  }

  /** The keys of a session that were used within their lifetime, by hash. */
  list(session: string): [hash: string, key: SentKey][] {
    return [...(this.#sessions.get(session) ?? [])].filter(([, { beganAt }]) => isKept(beganAt));
  }

  /** A key that was used within its lifetime. */
  of(session: string, hash: string): SentKey | undefined {
    const key = this.#sessions.get(session)?.get(hash);
    return key && isKept(key.beganAt) ? key : undefined;
  }

  *parts(): Iterable<FoldPart> {
    for (const session of this.#sessions.keys()) {
      const all = this.list(session);
      for (let start = 0; start < all.length; start += KEYS_IN_A_PART)
        yield { session, text: JSON.stringify(all.slice(start, start + KEYS_IN_A_PART)) };
    }
  }

  restore({ session, text }: FoldPart): void {
    const keys = this.#keysOf(session);
    for (const [hash, { fingerprint, messageId, beganAt, doneSeq }] of JSON.parse(text) as [string, SentKey][])
      keys.set(hash, { fingerprint, messageId, beganAt, doneSeq });
  }
}

function isKept(beganAt: number): boolean {
  return beganAt > Date.now() - KEY_LIFETIME_MS;
}

/** The record of a request that is about to be carried out. */
interface Begun extends Pick<SentKey, 'fingerprint'> {
  readonly messageId?: string | undefined;
  /** The time on the other gateway, if the key has moved. */
  readonly beganAt?: number | undefined;
}

/** Records that change the state. `hash`: of the key. */
export const keyNotes = {
  /** The request is about to be carried out. */
  begun: (session: string, hash: string, { fingerprint, messageId, beganAt }: Begun) =>
    note(session, NOTES.begun, hash, JSON.stringify({ fingerprint, messageId, beganAt })),
  /** The request was answered with this JSON. */
  done: (session: string, hash: string, answer: string) => note(session, NOTES.done, hash, answer),
  /** The request was refused, and nothing was done: the key may be used again. */
  free: (session: string, hash: string) => note(session, NOTES.free, hash, ''),
} as const;

function note(session: string, name: string, key: string, text: string): NewRecord {
  return { kind: 'note', name, session, key, text };
}
