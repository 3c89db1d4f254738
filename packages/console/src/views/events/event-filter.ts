import type { EventName, ListenedEvent } from '@chat-web/host';
import { ACCOUNT_EVENTS, matchesPattern, sessionId } from '@chat-web/protocol';
import * as v from 'valibot';
import { patternsIn } from '../../parts/format.ts';

export interface EventFilter {
  readonly names: ReadonlySet<EventName>;
  /** Ids of sessions, or patterns such as `shop-*`, separated by commas or spaces. Empty: all. */
  readonly sessions: string;
  /**
   * A part of an id: of the event, its session, its message, or of people in it. Never part of a text that people
   * wrote.
   */
  readonly text: string;
}

/** The sessions to request from the gateway, which accepts no patterns. Undefined: all. */
export function namedSessions(sessions: string): readonly string[] | undefined {
  const patterns = patternsIn(sessions);
  const isNamed = patterns.length > 0 && patterns.every((pattern) => v.is(sessionId, pattern));
  return isNamed ? patterns : undefined;
}

/** True if an event passes the filter. A gap concerns all sessions, unless it names one. */
export function passes({ names, sessions, text }: EventFilter, event: ListenedEvent): boolean {
  if (!names.has(event.name)) return false;
  const { session } = event;
  const patterns = patternsIn(sessions);
  if (session !== undefined && patterns.length > 0 && !patterns.some((pattern) => matchesPattern(pattern, session)))
    return false;
  const wanted = text.trim().toLowerCase();
  return wanted === '' || idsOf(event).some((id) => id?.toLowerCase().includes(wanted));
}

/** True if every event that passes `filter` also passes `wider`. */
export function isNarrower(filter: EventFilter, wider: EventFilter): boolean {
  const has = (text: string) => text.trim().toLowerCase();
  return (
    [...filter.names].every((name) => wider.names.has(name)) &&
    (wider.sessions === filter.sessions || patternsIn(wider.sessions).length === 0) &&
    has(filter.text).includes(has(wider.text))
  );
}

/** Events about messages, groups, chats and people, and their fields with ids. */
const ID_EVENTS: ReadonlySet<EventName> = new Set<EventName>(['message', 'message_ack', ...ACCOUNT_EVENTS]);
const ID_FIELDS = ['id', 'messageId', 'pollId', 'chatId', 'groupId', 'from', 'to', 'author', 'by', 'participants'];

function idsOf({ id, session, name, data }: ListenedEvent): readonly (string | undefined)[] {
  if (!ID_EVENTS.has(name)) return [id, session];
  const fields = data as Readonly<Record<string, unknown>>;
  const ids = ID_FIELDS.flatMap((field) => fields[field]).filter((value) => typeof value === 'string');
  return [id, session, ...ids];
}
