import type { PageWindow, Refused } from './window.ts';

declare const window: PageWindow;

type ChatRow = Record<string, unknown>;

/** What a change of a chat ends with: the chat, `no_chat`, or `ignored` if the page has not carried it out. */
export type ChatOutcome = ChatRow | 'no_chat' | 'ignored';

/** A chat, from the page's memory. */
export function findChat(chatId: string): ChatRow | undefined {
  const chat = window.chatWebTools.findChat(chatId);
  return chat && window.chatWebTools.chatModel(chat);
}

/** Marks a chat as read, and sends the receipts. The page does not tell a refusal: the chat stays unread then. */
export async function markChatRead(chatId: string, settleMs: number): Promise<ChatOutcome> {
  const tools = window.chatWebTools;
  const chat = tools.findChat(chatId);
  if (!chat) return 'no_chat';
  const before = chat.unreadCount ?? 0;
  // At once: the account need not be shown as online for it.
  await window.require('WAWebUpdateUnreadChatAction').sendSeen({ chat, afterAvailable: false });
  // More may have arrived meanwhile; -1 is a mark by hand.
  const isRead = () => before === 0 || (before < 0 ? chat.unreadCount !== before : (chat.unreadCount ?? 0) < before);
  return (await tools.holds(isRead, settleMs)) ? tools.chatModel(chat) : 'ignored';
}

/** Marks a chat as unread. */
export async function markChatUnread(chatId: string, settleMs: number): Promise<ChatOutcome> {
  const tools = window.chatWebTools;
  const chat = tools.findChat(chatId);
  if (!chat) return 'no_chat';
  const isUnread = () => (chat.unreadCount ?? 0) !== 0;
  if (!isUnread()) await window.require('WAWebUpdateUnreadChatAction').markUnread(chat, true, false);
  return (await tools.holds(isUnread, settleMs)) ? tools.chatModel(chat) : 'ignored';
}

/** Shows the account as typing or recording. Returns the chat's id. */
export async function setChatState(
  chatId: string,
  state: 'typing' | 'recording' | 'paused',
  forMs: number,
): Promise<{ readonly id: string } | 'no_chat' | Refused> {
  const tools = window.chatWebTools;
  const chat = tools.findChat(chatId);
  if (!chat) return 'no_chat';
  try {
    await tools.showState(chat, state, forMs);
    return { id: tools.phoneOr(chat.id) ?? chatId };
  } catch (error) {
    return tools.refusedBy(error);
  }
}
