import type { PageWindow } from './window.ts';

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
): Promise<{ readonly id: string } | 'no_chat'> {
  const tools = window.chatWebTools;
  const chat = tools.findChat(chatId);
  if (!chat) return 'no_chat';
  await tools.showState(chat, state, forMs);
  return { id: tools.phoneOr(chat.id) ?? chatId };
}

/** Archives a chat, or takes it out of the archive. */
export async function archiveChat(chatId: string, archived: boolean, settleMs: number): Promise<ChatOutcome> {
  const tools = window.chatWebTools;
  const chat = tools.findChat(chatId);
  if (!chat) return 'no_chat';
  const isDone = () => (chat.archive === true) === archived;
  // While a change is under way, the page returns its promise, even if it does the opposite.
  return tools.oneByOne(chat, async () => {
    if (!isDone()) await window.require('WAWebSetArchiveChatAction').setArchive(chat, archived, false);
    return (await tools.holds(isDone, settleMs)) ? tools.chatModel(chat) : 'ignored';
  });
}

/**
 * Pins a chat, or unpins it. `too_many`: the account has pinned as many as it may; `unarchived`: that is all that the
 * page has done.
 */
export async function pinChat(
  chatId: string,
  pinned: boolean,
  settleMs: number,
): Promise<ChatOutcome | 'too_many' | 'unarchived'> {
  const tools = window.chatWebTools;
  const chat = tools.findChat(chatId);
  if (!chat) return 'no_chat';
  const isDone = () => Boolean(chat.pin) === pinned;
  return tools.oneByOne(chat, async () => {
    let isUnarchived = false;
    if (!isDone()) {
      const { getNumConversationsPinned, getPinLimit } = window.require('WAWebChatPinBridge');
      // The page itself does not check it.
      if (pinned && (await getNumConversationsPinned(chat.id)) >= getPinLimit(chat.id)) return 'too_many';
      // As the page does: it would stay in the archive, where nothing is pinned.
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
    if (await tools.holds(isDone, settleMs)) return tools.chatModel(chat);
    return isUnarchived ? 'unarchived' : 'ignored';
  });
}

/** Mutes a chat until a time in Unix seconds; 0: not, -1: for ever. */
export async function muteChat(chatId: string, expiration: number, settleMs: number): Promise<ChatOutcome> {
  const tools = window.chatWebTools;
  const chat = tools.findChat(chatId);
  if (!chat) return 'no_chat';
  const isDone = () => (chat.mute?.expiration ?? 0) === expiration;
  const how = { sendDevice: true, showToast: false } as const;
  return tools.oneByOne(chat, async () => {
    if (!isDone()) await (expiration === 0 ? chat.mute?.unmute(how) : chat.mute?.mute({ expiration, ...how }));
    return (await tools.holds(isDone, settleMs)) ? tools.chatModel(chat) : 'ignored';
  });
}

/**
 * Deletes all messages of a chat. Returns the chat's id; `still_shown` if the page keeps them in its memory; `unknown` if
 * it has failed at some step.
 */
export async function clearChat(
  chatId: string,
  settleMs: number,
): Promise<{ readonly id: string } | 'no_chat' | 'still_shown' | 'unknown'> {
  const tools = window.chatWebTools;
  const chat = tools.findChat(chatId);
  if (!chat) return 'no_chat';
  const clearing = window.require('WAWebChatClearBridge').sendClear(chat, false, false);
  // It may reject when the messages are deleted, and the network has been told.
  const gone = await clearing.then(
    (done) => done?.result ?? [],
    () => undefined,
  );
  // That was the page's database. This is its memory; it hides the failures of the step before.
  const cleared = window.require('WAWebClearChatUtils').finalizeClearChat(chat, clearing);
  await cleared.catch(() => {}); // Whatever it lacks, the chat is cleared.
  if (!gone) return 'unknown';
  const { Msg } = window.require('WAWebCollections');
  const isGone = () => gone.every((id) => !Msg.get(String(id)));
  return (await tools.holds(isGone, settleMs)) ? { id: tools.phoneOr(chat.id) ?? chatId } : 'still_shown';
}

/** Deletes a chat. Returns its id; `is_member` for a group that the account is in, `failed` if the page says so. */
export async function deleteChat(
  chatId: string,
  membersMs: number,
): Promise<{ readonly id: string } | 'no_chat' | 'is_member' | 'failed'> {
  const tools = window.chatWebTools;
  const chat = tools.findChat(chatId);
  if (!chat) return 'no_chat';
  const isGroup = String(chat.id).endsWith('@g.us');
  if (isGroup && (await tools.ownGroup(String(chat.id), membersMs))) return 'is_member';
  const { sendDelete, sendDeleteWithStatus } = window.require('WAWebDeleteChatAction');
  // Of the page itself: the network gets it later.
  const answer = await (sendDeleteWithStatus ? sendDeleteWithStatus(chat, false) : sendDelete(chat, false));
  const { status = 200 } = (answer ?? {}) as { readonly status?: number };
  return answer === false || status >= 400 ? 'failed' : { id: tools.phoneOr(chat.id) ?? chatId };
}
