import * as v from 'valibot';
import type { EventName } from './events.ts';

/**
 * Kinds of chats. `community`: the announcements of a community, and the community itself; its other groups are
 * groups. `status`: the status feed. A broadcast list counts as `person`: its messages reach each person alone.
 */
export const CHAT_KINDS = ['person', 'group', 'status', 'channel', 'community'] as const;
export type ChatKind = (typeof CHAT_KINDS)[number];

/** Who did what an event reports: the account itself, on any of its devices, or somebody else. */
export const AUTHORS = ['own', 'others'] as const;
export type Author = (typeof AUTHORS)[number];

/** One of these events. */
export const eventNameOf = (names: readonly EventName[]) =>
  v.picklist(names, `must be names of events: ${names.join(', ')}`);
export const chatKind = v.picklist(CHAT_KINDS, `must be kinds of chats: ${CHAT_KINDS.join(', ')}`);
export const author = v.picklist(AUTHORS, `must be ${AUTHORS.join(' or ')}`);

/** What a reader wants of the events with a chat. Absent: all. Events without one are not affected. */
export interface ChatFilter {
  readonly chats?: readonly ChatKind[] | undefined;
  readonly from?: Author | undefined;
}
