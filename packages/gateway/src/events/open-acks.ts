import { ack, BoundedMap, getOrAdd, listOf, networkId, type OpenAck } from '@chat-web/protocol';
import * as v from 'valibot';
import type { Fold, MovingState } from '../journal/folds.ts';
import type { JournalRecord } from '../journal/frame.ts';

type Ack = OpenAck['ack'];

/** How many messages of a session are checked when it is ready again. */
const MAX_OPEN = 500;
/** For how many messages the last ack is remembered: more than a page reports again by itself. */
const MAX_KNOWN = 1_000;
/** Played: no ack follows it. */
const LAST_ACK = 4;

const openAck = v.strictObject({ id: networkId, ack });
const acksPart = listOf(openAck, MAX_KNOWN);

/**
 * The last acks of the newest messages of each session, derived from the journal: acks that increase while a session is
 * down are delivered later, and none is reported twice.
 */
export class OpenAcks implements Fold, MovingState {
  readonly name = 'acks';
  readonly part = acksPart;
  readonly stored = acksPart;
  /** The last ack by message id, in order of their last change. */
  readonly #sessions = new Map<string, BoundedMap<string, Ack>>();

  apply({ kind, name, session, text }: JournalRecord): void {
    if (kind === 'forget') this.#sessions.delete(session);
    if (kind !== 'event' || name !== 'message_ack') return;
    const { id, ack } = v.parse(openAck, JSON.parse(text));
    this.#set(session, id, ack);
  }

  #set(session: string, id: string, ack: Ack): void {
    const acks = getOrAdd(this.#sessions, session, () => new BoundedMap<string, Ack>(MAX_KNOWN));
    acks.setNewest(id, ack);
  }

  /** The last ack of a message; undefined if it is unknown, or no longer remembered. */
  of(session: string, id: string): Ack | undefined {
    return this.#sessions.get(session)?.get(id);
  }

  list(session: string): OpenAck[] {
    return this.#all(session)
      .filter(({ ack }) => ack < LAST_ACK)
      .slice(-MAX_OPEN);
  }

  #all(session: string): OpenAck[] {
    return [...(this.#sessions.get(session) ?? [])].map(([id, ack]) => ({ id, ack }));
  }

  sessions(): Iterable<string> {
    return this.#sessions.keys();
  }

  partsOf(session: string): OpenAck[][] {
    return this.#sessions.has(session) ? [this.#all(session)] : [];
  }

  restore(session: string, acks: OpenAck[]): void {
    for (const { id, ack } of acks) this.#set(session, id, ack);
  }
}
