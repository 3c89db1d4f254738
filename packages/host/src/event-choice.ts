import type { Author, ChatKind, EventName } from '@chat-web/protocol';

/** The events that a stream delivers. */
export interface EventChoice<N extends EventName = EventName> {
  /** Only these, and `gap`. Absent: all but the opt-in ones. */
  readonly events?: readonly N[] | undefined;
  /** Only those of these kinds of chats: `person`, `group`, `status`, `channel`, `community`. Absent: all. */
  readonly chats?: readonly ChatKind[] | undefined;
  /** Only what the account itself did (`own`), or what others did. Absent: both. */
  readonly author?: Author | undefined;
}

/** The query of a stream: a list is one parameter. */
export function queryOf({ events, chats, author }: EventChoice, sessions?: readonly string[]): string {
  const query = new URLSearchParams();
  if (events) query.set('events', events.join(','));
  if (chats) query.set('chats', chats.join(','));
  if (author) query.set('from', author);
  if (sessions) query.set('sessions', sessions.join(','));
  return query.size === 0 ? '' : `?${query.toString().replaceAll('%2C', ',')}`;
}
