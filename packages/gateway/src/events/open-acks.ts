import { ack, listOf, networkId, type OpenAck } from '@chat-web/protocol';
import * as v from 'valibot';
import type { Fold, FoldPart } from '../journal/folds.ts';
import type { JournalRecord, NewRecord } from '../journal/frame.ts';
import type { StateKeeper } from '../moving/state-keeper.ts';

type Ack = OpenAck['ack'];

/** How many messages of a session are checked when it is ready again. */
const MAX_OPEN = 500;
/** For how many messages the last ack is remembered: more than a page reports again by itself. */
const MAX_KNOWN = 1_000;
/** Played: no ack follows it. */
const LAST_ACK = 4;
/** The note that another gateway has reported the acks in its text. */
const MOVED = 'acks_moved';

const movedPart = listOf(v.strictObject({ id: networkId, ack }), MAX_KNOWN);

/**
 * The last acks of the newest messages of each session, derived from the journal: acks that increase while a session is
 * down are delivered later, and none is reported twice.
 */
export class OpenAcks implements Fold, StateKeeper {
  readonly name = 'acks';
  /** The last ack by message id, in order of their last change. */
  readonly #sessions = new Map<string, Map<string, Ack>>();

  apply({ kind, name, session, text }: JournalRecord): void {
    if (kind === 'forget') this.#sessions.delete(session);
    if (kind === 'note' && name === MOVED)
      for (const moved of JSON.parse(text) as OpenAck[]) this.#set(session, moved.id, moved.ack);
    if (kind !== 'event' || name !== 'message_ack') return;
    const { id, ack } = JSON.parse(text) as OpenAck; // Ours: validated before it was stored.
    this.#set(session, id, ack);
  }

  #set(session: string, id: string, ack: Ack): void {
    const acks = this.#sessions.get(session) ?? new Map<string, Ack>();
    this.#sessions.set(session, acks);
    acks.delete(id);
    acks.set(id, ack);
    for (const oldest of acks.keys()) {
      if (acks.size <= MAX_KNOWN) return;
      acks.delete(oldest);
    }
  }

  /** The last ack of a message; undefined if it is unknown, or no longer remembered. */
  of(session: string, id: string): Ack | undefined {
    return this.#sessions.get(session)?.get(id);
  }

  /** The messages whose acks may increase. */
  list(session: string): OpenAck[] {
    return this.#all(session)
      .filter(({ ack }) => ack < LAST_ACK)
      .slice(-MAX_OPEN);
  }

  #all(session: string): OpenAck[] {
    return [...(this.#sessions.get(session) ?? [])].map(([id, ack]) => ({ id, ack }));
  }

  *parts(): Iterable<FoldPart> {
    for (const session of this.#sessions.keys()) yield { session, text: JSON.stringify(this.#all(session)) };
  }

  *partsOf(session: string): Iterable<OpenAck[]> {
    if (this.#sessions.has(session)) yield this.#all(session);
  }

  learn(session: string, part: unknown): NewRecord[] {
    return [{ kind: 'note', name: MOVED, session, key: '', text: JSON.stringify(v.parse(movedPart, part)) }];
  }

  restore({ session, text }: FoldPart): void {
    for (const { id, ack } of JSON.parse(text) as OpenAck[]) this.#set(session, id, ack);
  }
}
