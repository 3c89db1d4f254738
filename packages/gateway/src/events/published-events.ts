import {
  ACCOUNT_EVENTS,
  type AccountEvent,
  type AccountEventName,
  BoundedMap,
  type EventData,
  getOrAdd,
  listOf,
} from '@chat-web/protocol';
import * as v from 'valibot';
import type { Fold, MovingState } from '../journal/folds.ts';
import { type JournalRecord, type NewRecord, note } from '../journal/frame.ts';

/** More than a page reports again after a restart. */
const MAX_PUBLISHED = 1_000;
const OWN_MESSAGE = 'own_message';

/** The identity of an event that is reported again: meanwhile, ids of people may have changed to numbers. */
const KEYS: { readonly [N in AccountEventName]: (data: EventData<N>) => string } = {
  // Once without its content, if this device cannot read it, and once with it.
  message_sent: ({ id, unavailable }) => (unavailable === undefined ? id : `${id} ${unavailable}`),
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
const publishedPart = listOf(publishedKey, MAX_PUBLISHED);

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
export class PublishedEvents implements Fold, MovingState {
  readonly name = 'published';
  readonly part = publishedPart;
  readonly stored = publishedPart;
  readonly #sessions = new Map<string, BoundedMap<string, true>>();

  apply({ kind, name, session, key }: JournalRecord): void {
    if (kind === 'forget') this.#sessions.delete(session);
    const isPublished = kind === 'event' && key !== '' && ACCOUNT_EVENTS.some((one) => one === name);
    if (isPublished || (kind === 'note' && name === OWN_MESSAGE)) this.#add(session, [v.parse(publishedKey, key)]);
  }

  #add(session: string, keys: readonly string[]): void {
    const published = getOrAdd(this.#sessions, session, () => new BoundedMap<string, true>(MAX_PUBLISHED));
    for (const key of keys) published.setNewest(key, true);
  }

  has(session: string, key: string): boolean {
    return this.#sessions.get(session)?.has(key) ?? false;
  }

  /** The full id of a message that was sent from here, by the part that the gateway chose; undefined if it is unknown. */
  ownIdOf(session: string, messageId: string): string | undefined {
    const prefix = 'message_sent ';
    const key = [...(this.#sessions.get(session)?.keys() ?? [])].findLast(
      (one) => one.startsWith(prefix) && one.split('_').includes(messageId),
    );
    return key?.slice(prefix.length);
  }

  sessions(): Iterable<string> {
    return this.#sessions.keys();
  }

  partsOf(session: string): string[][] {
    const published = this.#sessions.get(session);
    return published ? [[...published.keys()]] : [];
  }

  restore(session: string, keys: readonly string[]): void {
    this.#add(session, keys);
  }
}

/** The record that a message is sent from here. */
export function ownMessageNote(session: string, id: string): NewRecord {
  return note(session, OWN_MESSAGE, publishedKeyOf({ name: 'message_sent', data: { id } } as AccountEvent), '');
}
