import { ACCOUNT_EVENTS, type AccountEvent, type AccountEventName, type EventData, listOf } from '@chat-web/protocol';
import * as v from 'valibot';
import type { Fold, FoldPart } from '../journal/folds.ts';
import type { JournalRecord, NewRecord } from '../journal/frame.ts';
import type { StateKeeper } from '../moving/state-keeper.ts';

/** More than a page reports again after a restart. */
const MAX_PUBLISHED = 1_000;
/** As in journals of earlier versions. */
const NOTES = { own: 'own_message', moved: 'told_moved' } as const;

/** The identity of an event that is reported again: meanwhile, ids of people may have changed to numbers. */
const KEYS: { readonly [N in AccountEventName]: (data: EventData<N>) => string } = {
  message_sent: ({ id }) => id,
  message_reaction: ({ messageId, at, emoji }) => `${messageId} ${at} ${emoji}`,
  poll_vote: ({ pollId, at, options }) => `${pollId} ${at} ${options.length}`,
  message_edited: ({ id, at }) => `${id} ${at}`,
  message_revoked: ({ id }) => id,
  group_joined: ({ id }) => id,
  group_left: ({ id }) => id,
  group_request: ({ id }) => id,
  group_updated: ({ id }) => id,
  call: ({ id, state }) => `${id} ${state}`,
  chat_updated: () => '',
  presence: () => '',
};

const publishedKey = v.pipe(v.string(), v.maxLength(600));
const movedPart = listOf(publishedKey, MAX_PUBLISHED);

/**
 * The key of an event; empty if it is never reported again. The id of its `row` distinguishes what several people do in
 * the same millisecond.
 */
export function publishedKeyOf({ name, data }: AccountEvent, row?: string): string {
  const key = (KEYS[name] as (data: unknown) => string)(data);
  return key === '' ? '' : [name, key, row].filter((part) => part !== undefined).join(' ');
}

/**
 * The newest events of each account that were published, and the messages that were sent from here, derived from the
 * journal: events that the page reports again after a restart are skipped.
 */
export class PublishedEvents implements Fold, StateKeeper {
  /** As in journals and archives of earlier versions. */
  readonly name = 'told';
  /** In the order of publication. */
  readonly #sessions = new Map<string, Set<string>>();

  apply({ kind, name, session, key, text }: JournalRecord): void {
    if (kind === 'forget') this.#sessions.delete(session);
    if (kind === 'event' && key !== '' && ACCOUNT_EVENTS.some((one) => one === name)) this.#add(session, [key]);
    if (kind === 'note' && name === NOTES.own) this.#add(session, [key]);
    if (kind === 'note' && name === NOTES.moved) this.#add(session, JSON.parse(text) as string[]); // Validated before.
  }

  #add(session: string, keys: readonly string[]): void {
    const published = this.#sessions.get(session) ?? new Set<string>();
    this.#sessions.set(session, published);
    for (const key of keys) {
      published.delete(key);
      published.add(key);
    }
    for (const oldest of published) {
      if (published.size <= MAX_PUBLISHED) return;
      published.delete(oldest);
    }
  }

  has(session: string, key: string): boolean {
    return this.#sessions.get(session)?.has(key) ?? false;
  }

  *parts(): Iterable<FoldPart> {
    for (const session of this.#sessions.keys())
      for (const part of this.partsOf(session)) yield { session, text: JSON.stringify(part) };
  }

  *partsOf(session: string): Iterable<string[]> {
    const published = this.#sessions.get(session);
    if (published) yield [...published];
  }

  learn(session: string, part: unknown): NewRecord[] {
    return [{ kind: 'note', name: NOTES.moved, session, key: '', text: JSON.stringify(v.parse(movedPart, part)) }];
  }

  restore({ session, text }: FoldPart): void {
    this.#add(session, JSON.parse(text) as string[]);
  }
}

/** Records that change the state without an event. */
export const publishedNotes = {
  own: (session: string, id: string): NewRecord => {
    const key = publishedKeyOf({ name: 'message_sent', data: { id } } as AccountEvent);
    return { kind: 'note', name: NOTES.own, session, key, text: '' };
  },
} as const;
