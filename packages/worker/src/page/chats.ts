import { holds, within } from './delay.ts';
import { ignored, Refusal } from './refusal.ts';
import { chatModel, oneByOne, ownChat, showState } from './tools/chats.ts';
import { ownGroup } from './tools/groups.ts';
import { eachReadable, phoneOr } from './tools/identities.ts';
import { isChat } from './tools/messages.ts';
import {
  activity,
  isWatched,
  presenceRequest,
  presenceRows,
  unwatchPresence,
  watchPresence,
} from './tools/presences.ts';

type ChatRow = Record<string, unknown>;

/** All readable chats, from the page's memory, without a query to the network. */
export function listChats() {
  const all = window.require('WAWebCollections').Chat.getModelsArray();
  return eachReadable(all, (chat) => (isChat(chat) ? chatModel(chat) : [])).flat();
}

/** A chat, from the page's memory. */
export function getChat(chatId: string): ChatRow {
  return chatModel(ownChat(chatId));
}

/** Marks a chat as read, and sends the receipts. The page does not report a refusal: the chat then stays unread. */
export async function markChatRead(chatId: string, settleMs: number): Promise<ChatRow> {
  const chat = ownChat(chatId);
  const before = chat.unreadCount ?? 0;
  // Sent at once: the account need not be online.
  const send = () => window.require('WAWebUpdateUnreadChatAction').sendSeen({ chat, afterAvailable: false });
  await send();
  // More messages may have arrived meanwhile; -1 means marked as unread.
  const isRead = () => before === 0 || (before < 0 ? chat.unreadCount !== before : (chat.unreadCount ?? 0) < before);
  if (await holds(isRead, settleMs)) return chatModel(chat);
  // If the connection was lost during an earlier attempt, the page takes the messages for read until another arrives.
  if (chat.pendingSeenCount) {
    chat.pendingSeenCount = 0;
    await send();
    if (await holds(isRead, settleMs)) return chatModel(chat);
  }
  throw ignored();
}

/** Marks a chat as unread. */
export async function markChatUnread(chatId: string, settleMs: number): Promise<ChatRow> {
  const chat = ownChat(chatId);
  const isUnread = () => (chat.unreadCount ?? 0) !== 0;
  if (!isUnread()) await window.require('WAWebUpdateUnreadChatAction').markUnread(chat, true, false);
  if (await holds(isUnread, settleMs)) return chatModel(chat);
  throw ignored();
}

/** Shows the account as typing or recording. Returns the chat's id. */
export async function setChatState(
  chatId: string,
  state: 'typing' | 'recording' | 'paused',
  forMs: number,
): Promise<{ readonly id: string }> {
  const chat = ownChat(chatId);
  await showState(chat, state, forMs);
  return { id: phoneOr(chat.id) ?? chatId };
}

/** Archives a chat, or takes it out of the archive. */
export async function archiveChat(chatId: string, archived: boolean, settleMs: number): Promise<ChatRow> {
  const chat = ownChat(chatId);
  const isDone = () => (chat.archive === true) === archived;
  // While a change is running, the page returns its promise, even for the opposite change.
  return oneByOne(chat, async () => {
    if (!isDone()) await window.require('WAWebSetArchiveChatAction').setArchive(chat, archived, false);
    if (await holds(isDone, settleMs)) return chatModel(chat);
    throw ignored();
  });
}

/** Pins a chat, or unpins it. */
export async function pinChat(chatId: string, pinned: boolean, settleMs: number): Promise<ChatRow> {
  const chat = ownChat(chatId);
  const isDone = () => Boolean(chat.pin) === pinned;
  return oneByOne(chat, async () => {
    let isUnarchived = false;
    if (!isDone()) {
      const { getNumConversationsPinned, getPinLimit } = window.require('WAWebChatPinBridge');
      // The page itself does not check the limit.
      if (pinned && (await getNumConversationsPinned(chat.id)) >= getPinLimit(chat.id))
        throw new Refusal('not_permitted', 'the account has reached its limit of pinned chats: unpin another first');
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
    if (!isUnarchived) throw ignored();
    throw new Refusal(
      'outcome_unknown',
      'the chat was unarchived, but the web client did not report whether it was pinned',
    );
  });
}

/** Mutes a chat until a time in Unix seconds; 0: unmute, -1: forever. */
export async function muteChat(chatId: string, expiration: number, settleMs: number): Promise<ChatRow> {
  const chat = ownChat(chatId);
  const isDone = () => (chat.mute?.expiration ?? 0) === expiration;
  const how = { sendDevice: true, showToast: false } as const;
  return oneByOne(chat, async () => {
    if (!isDone()) await (expiration === 0 ? chat.mute?.unmute(how) : chat.mute?.mute({ expiration, ...how }));
    if (await holds(isDone, settleMs)) return chatModel(chat);
    throw ignored();
  });
}

/** Deletes all messages of a chat. Returns the chat's id. */
export async function clearChat(chatId: string, settleMs: number): Promise<{ readonly id: string }> {
  const chat = ownChat(chatId);
  const clearing = window.require('WAWebChatClearBridge').sendClear(chat, false, false);
  // It may reject after the messages are deleted and the network has the change.
  const gone = await clearing.then(
    (done) => done?.result ?? [],
    () => undefined,
  );
  // The first step clears the page's database, this one its memory; it hides failures of the first.
  const cleared = window.require('WAWebClearChatUtils').finalizeClearChat(chat, clearing);
  await cleared.catch(() => {}); // The chat is cleared even if this fails.
  if (!gone)
    throw new Refusal('outcome_unknown', 'the web client failed while it cleared the chat; look at its messages');
  const { Msg } = window.require('WAWebCollections');
  const isGone = () => gone.every((id) => !Msg.get(String(id)));
  if (await holds(isGone, settleMs)) return { id: phoneOr(chat.id) ?? chatId };
  throw new Refusal('outcome_unknown', 'the chat is cleared, but the web client still shows its messages');
}

/** Deletes a chat, but not of a group that the account is in. Returns its id. */
export async function deleteChat(chatId: string, membersMs: number): Promise<{ readonly id: string }> {
  const chat = ownChat(chatId);
  const isGroup = String(chat.id).endsWith('@g.us');
  if (isGroup && (await ownGroup(String(chat.id), membersMs)))
    throw new Refusal('not_permitted', 'the account is in the group: leave it first');
  const { sendDelete, sendDeleteWithStatus } = window.require('WAWebDeleteChatAction');
  // The answer is the page's own: the network gets the change later.
  const answer = await (sendDeleteWithStatus ? sendDeleteWithStatus(chat, false) : sendDelete(chat, false));
  const { status = 200 } = (answer ?? {}) as { readonly status?: number };
  if (answer === false || status >= 400) throw new Refusal('client_failed', 'the web client did not delete the chat');
  return { id: phoneOr(chat.id) ?? chatId };
}

/** What the network has reported about a chat so far. */
export interface ChatPresence {
  readonly id: string;
  /** Undefined: nothing yet. */
  readonly state?: string | undefined;
  /** Milliseconds since 1970. */
  readonly lastSeen?: number | undefined;
}

/** Subscribes to the presence in a chat, and waits a moment for the current state. */
export async function subscribePresence(chatId: string, answerMs: number): Promise<ChatPresence> {
  const chat = ownChat(chatId);
  const subscribe = presenceRequest(chat);
  if (!subscribe) throw new Refusal('page_unsupported', 'the page of this account cannot subscribe to this presence');
  const models = presenceRows(chat);
  const isNew = !isWatched(chat);
  if (!watchPresence(chat))
    throw new Refusal('not_permitted', 'at most 200 chats can be subscribed to; restart the session to reset them');
  try {
    await within(subscribe(), answerMs);
  } catch (error) {
    if (isNew) unwatchPresence(chat);
    throw error;
  }
  const known = () => models.find(({ hasData }) => hasData === true);
  await holds(() => known() !== undefined, answerMs);
  const shown = known()?.chatstate;
  return { id: phoneOr(chat.id) ?? chatId, ...(shown ? activity(shown) : {}) };
}
