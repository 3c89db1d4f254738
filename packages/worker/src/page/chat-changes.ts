import { chatModel, findChat, holds, oneByOne, showState } from './tools/chats.ts';
import { ownGroup } from './tools/groups.ts';
import { phoneOr } from './tools/identities.ts';

type ChatRow = Record<string, unknown>;

/** The outcome of a change of a chat: the chat, `no_chat`, or `ignored` if the page did not apply it. */
export type ChatOutcome = ChatRow | 'no_chat' | 'ignored';

/** A chat, from the page's memory. */
export function getChat(chatId: string): ChatRow | undefined {
  const chat = findChat(chatId);
  return chat && chatModel(chat);
}

/** Marks a chat as read, and sends the receipts. The page does not report a refusal: the chat then stays unread. */
export async function markChatRead(chatId: string, settleMs: number): Promise<ChatOutcome> {
  const chat = findChat(chatId);
  if (!chat) return 'no_chat';
  const before = chat.unreadCount ?? 0;
  // Sent at once: the account need not be online.
  await window.require('WAWebUpdateUnreadChatAction').sendSeen({ chat, afterAvailable: false });
  // More messages may have arrived meanwhile; -1 means marked as unread.
  const isRead = () => before === 0 || (before < 0 ? chat.unreadCount !== before : (chat.unreadCount ?? 0) < before);
  return (await holds(isRead, settleMs)) ? chatModel(chat) : 'ignored';
}

/** Marks a chat as unread. */
export async function markChatUnread(chatId: string, settleMs: number): Promise<ChatOutcome> {
  const chat = findChat(chatId);
  if (!chat) return 'no_chat';
  const isUnread = () => (chat.unreadCount ?? 0) !== 0;
  if (!isUnread()) await window.require('WAWebUpdateUnreadChatAction').markUnread(chat, true, false);
  return (await holds(isUnread, settleMs)) ? chatModel(chat) : 'ignored';
}

/** Shows the account as typing or recording. Returns the chat's id. */
export async function setChatState(
  chatId: string,
  state: 'typing' | 'recording' | 'paused',
  forMs: number,
): Promise<{ readonly id: string } | 'no_chat'> {
  const chat = findChat(chatId);
  if (!chat) return 'no_chat';
  await showState(chat, state, forMs);
  return { id: phoneOr(chat.id) ?? chatId };
}

/** Archives a chat, or takes it out of the archive. */
export async function archiveChat(chatId: string, archived: boolean, settleMs: number): Promise<ChatOutcome> {
  const chat = findChat(chatId);
  if (!chat) return 'no_chat';
  const isDone = () => (chat.archive === true) === archived;
  // While a change is running, the page returns its promise, even for the opposite change.
  return oneByOne(chat, async () => {
    if (!isDone()) await window.require('WAWebSetArchiveChatAction').setArchive(chat, archived, false);
    return (await holds(isDone, settleMs)) ? chatModel(chat) : 'ignored';
  });
}

/**
 * Pins a chat, or unpins it. `too_many`: the account has reached the limit of pins; `unarchived`: the page unarchived
 * the chat, but did not pin it.
 */
export async function pinChat(
  chatId: string,
  pinned: boolean,
  settleMs: number,
): Promise<ChatOutcome | 'too_many' | 'unarchived'> {
  const chat = findChat(chatId);
  if (!chat) return 'no_chat';
  const isDone = () => Boolean(chat.pin) === pinned;
  return oneByOne(chat, async () => {
    let isUnarchived = false;
    if (!isDone()) {
      const { getNumConversationsPinned, getPinLimit } = window.require('WAWebChatPinBridge');
      // The page itself does not check the limit.
      if (pinned && (await getNumConversationsPinned(chat.id)) >= getPinLimit(chat.id)) return 'too_many';
      // As the page does: an archived chat cannot be pinned.
      if (pinned && chat.archive) {
        await window.require('WAWebSetArchiveChatAction').setArchive(chat, false, false);
        isUnarchived = true;
      }
      try {
        await window.require('WAWebSetPinChatAction').setPin(chat, pinned);
      } catch (error) {
        if (!isUnarchived) throw error;
      }
    }
    if (await holds(isDone, settleMs)) return chatModel(chat);
    return isUnarchived ? 'unarchived' : 'ignored';
  });
}

/** Mutes a chat until a time in Unix seconds; 0: unmute, -1: forever. */
export async function muteChat(chatId: string, expiration: number, settleMs: number): Promise<ChatOutcome> {
  const chat = findChat(chatId);
  if (!chat) return 'no_chat';
  const isDone = () => (chat.mute?.expiration ?? 0) === expiration;
  const how = { sendDevice: true, showToast: false } as const;
  return oneByOne(chat, async () => {
    if (!isDone()) await (expiration === 0 ? chat.mute?.unmute(how) : chat.mute?.mute({ expiration, ...how }));
    return (await holds(isDone, settleMs)) ? chatModel(chat) : 'ignored';
  });
}

/**
 * Deletes all messages of a chat. Returns the chat's id; `still_shown` if the page keeps them in memory; `unknown` if a
 * step failed.
 */
export async function clearChat(
  chatId: string,
  settleMs: number,
): Promise<{ readonly id: string } | 'no_chat' | 'still_shown' | 'unknown'> {
  const chat = findChat(chatId);
  if (!chat) return 'no_chat';
  const clearing = window.require('WAWebChatClearBridge').sendClear(chat, false, false);
  // It may reject after the messages are deleted and the network has the change.
  const gone = await clearing.then(
    (done) => done?.result ?? [],
    () => undefined,
  );
  // The first step clears the page's database, this one its memory; it hides failures of the first.
  const cleared = window.require('WAWebClearChatUtils').finalizeClearChat(chat, clearing);
  await cleared.catch(() => {}); // The chat is cleared even if this fails.
  if (!gone) return 'unknown';
  const { Msg } = window.require('WAWebCollections');
  const isGone = () => gone.every((id) => !Msg.get(String(id)));
  return (await holds(isGone, settleMs)) ? { id: phoneOr(chat.id) ?? chatId } : 'still_shown';
}

/**
 * Deletes a chat. Returns its id; `is_member` if the account is in the group; `failed` if the page reports a failure.
 */
export async function deleteChat(
  chatId: string,
  membersMs: number,
): Promise<{ readonly id: string } | 'no_chat' | 'is_member' | 'failed'> {
  const chat = findChat(chatId);
  if (!chat) return 'no_chat';
  const isGroup = String(chat.id).endsWith('@g.us');
  if (isGroup && (await ownGroup(String(chat.id), membersMs))) return 'is_member';
  const { sendDelete, sendDeleteWithStatus } = window.require('WAWebDeleteChatAction');
  // The answer is the page's own: the network gets the change later.
  const answer = await (sendDeleteWithStatus ? sendDeleteWithStatus(chat, false) : sendDelete(chat, false));
  const { status = 200 } = (answer ?? {}) as { readonly status?: number };
  return answer === false || status >= 400 ? 'failed' : { id: phoneOr(chat.id) ?? chatId };
}
