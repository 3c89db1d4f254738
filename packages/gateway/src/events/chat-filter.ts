import {
  type Author,
  type ChatFilter,
  type ChatKind,
  chatOfMessage,
  type EventName,
  STATUS_FEED,
} from '@chat-web/protocol';
import type { Entry } from './feed.ts';

/** The data of an event, as far as it says which chat it is about, and who did it. */
interface OfChat {
  readonly id?: unknown;
  readonly from?: unknown;
  readonly to?: unknown;
  readonly by?: unknown;
  readonly chatId?: unknown;
  readonly groupId?: unknown;
  readonly fromMe?: unknown;
  readonly isStatus?: unknown;
  readonly community?: { readonly role?: unknown };
}

/** Where each event with a chat has the chat; the others have none. */
const CHATS: Readonly<Partial<Record<EventName, (data: OfChat) => unknown>>> = {
  message: ({ from }) => from,
  message_sent: ({ to }) => to,
  message_ack: ({ id }) => chatOfMessage(String(id)) ?? '',
  message_reaction: ({ chatId }) => chatId,
  message_edited: ({ chatId }) => chatId,
  message_revoked: ({ chatId }) => chatId,
  poll_vote: ({ chatId }) => chatId,
  group_joined: ({ groupId }) => groupId,
  group_left: ({ groupId }) => groupId,
  group_request: ({ groupId }) => groupId,
  group_updated: ({ groupId }) => groupId,
  call: ({ chatId }) => chatId,
  presence: ({ chatId }) => chatId,
  chat_updated: ({ chatId }) => chatId,
};

/**
 * True for the events that a filter lets pass. Those without a chat always pass: a reader that chooses chats still has to
 * learn that its session is gone, or that events are missing. So do those whose author is not known, with `from`.
 */
export function passes({ chats, from }: ChatFilter, name: EventName, event: Pick<Entry, 'text'> | undefined): boolean {
  const chatOf = CHATS[name];
  if (!event || !chatOf || (!chats && !from)) return true;
  const data = JSON.parse(event.text) as OfChat;
  if (chats && !chats.includes(kindOf(String(chatOf(data)), data))) return false;
  const author = from && authorOf(name, data);
  return author === undefined || author === from;
}

function kindOf(chat: string, { community, isStatus }: OfChat): ChatKind {
  if (isStatus === true || chat === STATUS_FEED) return 'status';
  if (chat.endsWith('@newsletter')) return 'channel';
  if (!chat.endsWith('@g.us')) return 'person';
  return community?.role === 'parent' || community?.role === 'announcements' ? 'community' : 'group';
}

/** Undefined if it is not known. */
function authorOf(name: EventName, { by, fromMe }: OfChat): Author | undefined {
  if (fromMe === true) return 'own';
  // Acks are of the account's own messages, and nobody else can archive, pin, mute or read its chats.
  if (name === 'message_ack' || name === 'chat_updated') return 'own';
  return name.startsWith('group_') && by === undefined ? undefined : 'others';
}
