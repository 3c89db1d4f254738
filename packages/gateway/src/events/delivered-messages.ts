import { listOf, MAX_DELIVERED_IDS, networkId, OVERLAP_SECONDS, unixSeconds } from '@chat-web/protocol';
import * as v from 'valibot';
import type { Fold, FoldPart } from '../journal/folds.ts';
import type { JournalRecord, NewRecord } from '../journal/frame.ts';
import type { StateKeeper } from '../moving/state-keeper.ts';

/** The state of a session's inbound messages. Times are Unix seconds. */
interface Delivered {
  /** Timestamps of the messages that a catch-up would find again, by id, in order of delivery. */
  readonly ids: Map<string, number>;
  /** Messages before this time are delivered, or count as history; undefined until the session was ready. */
  from: number | undefined;
  /** Messages from this time on are missing, although later ones were delivered. */
  missingFrom: number | undefined;
}

const NOTES = {
  /** The catch-up ignores messages before the time in the text. */
  until: 'delivered_until',
  /** Messages from the time in the text on could not be stored. */
  missing: 'delivery_interrupted',
  /** The catch-up has looked for them. */
  complete: 'delivery_complete',
  /** The next link may be of another account. */
  reset: 'delivery_reset',
  /** Another gateway delivered the messages in the text, which has pairs of id and timestamp. */
  moved: 'delivery_moved',
} as const;

/** An id takes at most a kilobyte. */
const IDS_IN_A_PART = 500;

/**
 * The inbound messages that were delivered, derived from the journal: a message that arrives while nothing listens is
 * delivered later, and none is delivered twice.
 */
export class DeliveredMessages implements Fold, StateKeeper {
  readonly name = 'delivered';
  readonly #sessions = new Map<string, Delivered>();

  apply({ kind, name, session, key, text, at }: JournalRecord): void {
    if (kind === 'forget') this.#sessions.delete(session);
    else if (kind === 'event' && name === 'message') this.#add(session, key, timestampIn(text), Math.floor(at / 1_000));
    else if (kind === 'note' && name === NOTES.moved) this.#addMoved(session, JSON.parse(text) as StoredPart['ids']);
    else if (kind === 'note') this.#note(session, name, Number(text));
  }

  #note(session: string, name: string, seconds: number): void {
    switch (name) {
      case NOTES.until:
        this.#of(session).from = Math.max(this.#of(session).from ?? 0, seconds);
        return;
      case NOTES.missing:
        this.#of(session).missingFrom = Math.min(this.#of(session).missingFrom ?? seconds, seconds);
        return;
      case NOTES.complete:
        this.#of(session).missingFrom = undefined;
        return;
      case NOTES.reset:
        this.#sessions.delete(session);
    }
  }

  #add(session: string, id: string, timestamp: number, now: number): void {
    const delivered = this.#of(session);
    delivered.ids.set(id, timestamp);
    // A timestamp in the future, from a wrong clock, would skip everything until then.
    delivered.from = Math.max(delivered.from ?? 0, Math.min(timestamp, now) - OVERLAP_SECONDS);
    const from = Math.min(delivered.from, delivered.missingFrom ?? Number.POSITIVE_INFINITY);
    for (const [oldest, oldestAt] of delivered.ids) {
      if (oldestAt >= from && delivered.ids.size <= MAX_DELIVERED_IDS) break;
      delivered.ids.delete(oldest);
    }
  }

  #addMoved(session: string, moved: StoredPart['ids']): void {
    const { ids } = this.#of(session);
    for (const [id, timestamp] of moved) ids.set(id, timestamp);
    for (const oldest of ids.keys()) {
      if (ids.size <= MAX_DELIVERED_IDS) return;
      ids.delete(oldest);
    }
  }

  #of(session: string): Delivered {
    const known = this.#sessions.get(session);
    if (known) return known;
    const delivered: Delivered = { ids: new Map(), from: undefined, missingFrom: undefined };
    this.#sessions.set(session, delivered);
    return delivered;
  }

  /** Since when messages are missing, in Unix seconds; undefined if none are. */
  missingFrom(session: string): number | undefined {
    return this.#sessions.get(session)?.missingFrom;
  }

  has(session: string, id: string): boolean {
    return this.#sessions.get(session)?.ids.has(id) ?? false;
  }

  /** Messages from this time on may not have been delivered; undefined until the session was ready. */
  from(session: string): number | undefined {
    const { from, missingFrom } = this.#sessions.get(session) ?? {};
    if (missingFrom === undefined) return from;
    return Math.min(from ?? missingFrom, missingFrom);
  }

  *parts(): Iterable<FoldPart> {
    for (const session of this.#sessions.keys())
      for (const part of this.partsOf(session)) yield { session, text: JSON.stringify(part) };
  }

  *partsOf(session: string): Iterable<StoredPart> {
    const delivered = this.#sessions.get(session);
    if (!delivered) return;
    const { ids, from, missingFrom } = delivered;
    const all = [...ids];
    for (let start = 0; start === 0 || start < all.length; start += IDS_IN_A_PART)
      yield { from, missingFrom, ids: all.slice(start, start + IDS_IN_A_PART) };
  }

  learn(session: string, part: unknown): NewRecord[] {
    const { from, missingFrom, ids } = v.parse(movedPart, part);
    return [
      note(session, NOTES.moved, JSON.stringify(ids)),
      ...(from === undefined ? [] : [deliveryNotes.until(session, from)]),
      // The other gateway has recovered what was missing here before.
      deliveryNotes.complete(session),
      ...(missingFrom === undefined ? [] : [deliveryNotes.missing(session, missingFrom)]),
    ];
  }

  restore({ session, text }: FoldPart): void {
    const { from, missingFrom, ids } = JSON.parse(text) as StoredPart; // Written by us, with a valid checksum.
    const delivered = this.#of(session);
    Object.assign(delivered, { from, missingFrom });
    for (const [id, timestamp] of ids) delivered.ids.set(id, timestamp);
  }
}

interface StoredPart {
  readonly from?: number | undefined;
  readonly missingFrom?: number | undefined;
  readonly ids: readonly (readonly [string, number])[];
}

const movedPart = v.strictObject({
  from: v.optional(unixSeconds),
  missingFrom: v.optional(unixSeconds),
  ids: listOf(v.strictTuple([networkId, unixSeconds]), IDS_IN_A_PART),
});

/** Records that change the state without a message. */
export const deliveryNotes = {
  until: (session: string, seconds: number) => note(session, NOTES.until, String(seconds)),
  missing: (session: string, fromSeconds: number) => note(session, NOTES.missing, String(fromSeconds)),
  complete: (session: string) => note(session, NOTES.complete, ''),
  reset: (session: string) => note(session, NOTES.reset, ''),
} as const;

function note(session: string, name: string, text: string): NewRecord {
  return { kind: 'note', name, session, key: '', text };
}

function timestampIn(text: string): number {
  return (JSON.parse(text) as { readonly timestamp: number }).timestamp;
}
