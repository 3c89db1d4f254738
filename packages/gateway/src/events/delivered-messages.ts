import {
  BoundedMap,
  getOrAdd,
  listOf,
  MAX_DELIVERED_IDS,
  MAX_WITHOUT_CONTENT,
  networkId,
  OVERLAP_SECONDS,
  unixSeconds,
} from '@chat-web/protocol';
import * as v from 'valibot';
import { chunksOf } from '../chunks-of.ts';
import type { Fold, MovingState } from '../journal/folds.ts';
import { type JournalRecord, note } from '../journal/frame.ts';

/** The state of a session's inbound messages. Times are Unix seconds. */
interface Delivered {
  /** Timestamps of the messages that a catch-up would find again, by id, in order of delivery. */
  readonly ids: Map<string, number>;
  /** Those that were delivered without their content, which may still come, however old they are. */
  readonly withoutContent: Map<string, true>;
  /** Messages before this time are delivered, or count as history; undefined until the session was ready. */
  until: number | undefined;
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
} as const;

/** An id takes at most a kilobyte; with those in `withoutContent`, a part stays below a megabyte. */
const IDS_IN_A_PART = 500;

const deliveredPart = v.strictObject({
  until: v.optional(unixSeconds),
  missingFrom: v.optional(unixSeconds),
  ids: listOf(v.strictTuple([networkId, unixSeconds]), IDS_IN_A_PART),
  withoutContent: v.optional(listOf(networkId, MAX_WITHOUT_CONTENT)),
});
type DeliveredPart = v.InferOutput<typeof deliveredPart>;

/**
 * The inbound messages that were delivered, derived from the journal: a message that arrives while nothing listens is
 * delivered later, and none is delivered twice.
 */
export class DeliveredMessages implements Fold, MovingState {
  readonly name = 'delivered';
  readonly part = deliveredPart;
  readonly stored = deliveredPart;
  readonly #sessions = new Map<string, Delivered>();

  apply({ kind, name, session, key, text, at }: JournalRecord): void {
    if (kind === 'forget') this.#sessions.delete(session);
    else if (kind === 'event' && name === 'message')
      this.#add(session, v.parse(networkId, key), messageIn(text), Math.floor(at / 1_000));
    else if (kind === 'note') this.#note(session, name, text);
  }

  #note(session: string, name: string, text: string): void {
    const seconds = () => v.parse(unixSeconds, Number(text));
    switch (name) {
      case NOTES.until: {
        const until = seconds();
        this.#of(session).until = Math.max(this.#of(session).until ?? 0, until);
        return;
      }
      case NOTES.missing: {
        const from = seconds();
        this.#of(session).missingFrom = Math.min(this.#of(session).missingFrom ?? from, from);
        return;
      }
      case NOTES.complete:
        this.#of(session).missingFrom = undefined;
        return;
      case NOTES.reset:
        this.#sessions.delete(session);
    }
  }

  #add(session: string, id: string, { timestamp, unavailable }: StoredMessage, now: number): void {
    const delivered = this.#of(session);
    if (unavailable === undefined) delivered.withoutContent.delete(id);
    else delivered.withoutContent.set(id, true);
    delivered.ids.set(id, timestamp);
    // A timestamp in the future, from a wrong clock, would skip everything until then.
    delivered.until = Math.max(delivered.until ?? 0, Math.min(timestamp, now) - OVERLAP_SECONDS);
    const from = Math.min(delivered.until, delivered.missingFrom ?? Number.POSITIVE_INFINITY);
    for (const [oldest, oldestAt] of delivered.ids) {
      if (oldestAt >= from) break;
      delivered.ids.delete(oldest);
    }
  }

  #of(session: string): Delivered {
    return getOrAdd(this.#sessions, session, () => ({
      ids: new BoundedMap(MAX_DELIVERED_IDS),
      withoutContent: new BoundedMap(MAX_WITHOUT_CONTENT),
      until: undefined,
      missingFrom: undefined,
    }));
  }

  /** Since when messages are missing, in Unix seconds; undefined if none are. */
  missingFrom(session: string): number | undefined {
    return this.#sessions.get(session)?.missingFrom;
  }

  has(session: string, id: string): boolean {
    return this.#sessions.get(session)?.ids.has(id) ?? false;
  }

  /** True for a message that was delivered without its content, and not with it. */
  lacksContent(session: string, id: string): boolean {
    return this.#sessions.get(session)?.withoutContent.has(id) ?? false;
  }

  /** The newest of these messages. */
  withoutContent(session: string): string[] {
    return [...(this.#sessions.get(session)?.withoutContent.keys() ?? [])];
  }

  /** Messages from this time on may not have been delivered; undefined until the session was ready. */
  until(session: string): number | undefined {
    const { until, missingFrom } = this.#sessions.get(session) ?? {};
    if (missingFrom === undefined) return until;
    return Math.min(until ?? missingFrom, missingFrom);
  }

  sessions(): Iterable<string> {
    return this.#sessions.keys();
  }

  *partsOf(session: string): Iterable<DeliveredPart> {
    const delivered = this.#sessions.get(session);
    if (!delivered) return;
    const { ids, until, missingFrom } = delivered;
    const withoutContent = [...delivered.withoutContent.keys()];
    const [first = [], ...others] = chunksOf([...ids], IDS_IN_A_PART);
    yield { until, missingFrom, ids: first, ...(withoutContent.length > 0 ? { withoutContent } : {}) };
    for (const some of others) yield { until, missingFrom, ids: some };
  }

  restore(session: string, { until, missingFrom, ids, withoutContent = [] }: DeliveredPart): void {
    const delivered = this.#of(session);
    if (until !== undefined) delivered.until = Math.max(delivered.until ?? 0, until);
    // Another gateway has recovered what was missing here before.
    delivered.missingFrom = missingFrom;
    for (const [id, timestamp] of ids) delivered.ids.set(id, timestamp);
    for (const id of withoutContent) delivered.withoutContent.set(id, true);
  }
}

export const deliveryNotes = {
  until: (session: string, seconds: number) => note(session, NOTES.until, '', String(seconds)),
  missing: (session: string, fromSeconds: number) => note(session, NOTES.missing, '', String(fromSeconds)),
  complete: (session: string) => note(session, NOTES.complete, '', ''),
  reset: (session: string) => note(session, NOTES.reset, '', ''),
} as const;

const storedMessage = v.object({ timestamp: unixSeconds, unavailable: v.optional(v.unknown()) });
type StoredMessage = v.InferOutput<typeof storedMessage>;

function messageIn(text: string): StoredMessage {
  return v.parse(storedMessage, JSON.parse(text));
}
