import type { PageModules } from '../contract/index.ts';
import type { LabelAction } from '../contract/labels.ts';
import { within } from '../delay.ts';
import type { PageChat, PageId, PageLabel, PageMessage } from '../models.ts';
import { Refusal } from '../refusal.ts';
import { communityOf } from './groups.ts';
import { optional, phoneOr, wrapExport } from './identities.ts';
import { textOf } from './message-texts.ts';
import { isDeliverable } from './message-types.ts';
import { isChat, knownChat } from './messages.ts';

/** Chats in which the account shows as typing or recording, each with a function that stops it. */
const shown = new Map<string, () => void>();

// Other clients drop the state after about 25 s.
const REPEAT_MS = 10_000;

/** Shows a state in a chat for some time, at most until the page unloads; `paused` ends it. */
export async function showState(
  chat: PageChat,
  state: 'typing' | 'recording' | 'paused',
  forMs: number,
): Promise<void> {
  const bridge = window.require('WAWebChatStateBridge');
  const to = stateTarget(chat);
  const key = String(to);
  const pause = async () => bridge.sendChatStatePaused(to);
  if (state === 'paused') {
    shown.get(key)?.();
    await pause();
    return;
  }
  const send = async () => (state === 'typing' ? bridge.sendChatStateComposing(to) : bridge.sendChatStateRecording(to));
  await send();
  shown.get(key)?.();
  const repeat = setInterval(() => send().catch(() => {}), REPEAT_MS);
  const stop = () => {
    clearInterval(repeat);
    clearTimeout(timer);
    shown.delete(key);
  };
  const timer = setTimeout(() => {
    stop();
    pause().catch(() => {});
  }, forMs);
  shown.set(key, stop);
}

/** The id by which the network expects such a state: by the page's own choice, or hidden where there is one. */
function stateTarget(chat: PageChat): PageId {
  try {
    const chosen = optional('WAWebPresenceChatAction')?.getChatIdentifier?.(chat);
    if (chosen) return chosen;
  } catch {
    // The page lacks the hidden id.
  }
  return chat.accountLid ?? chat.id;
}

/** Ends shown states when the page unloads. */
export function attachChats(): void {
  window.addEventListener('pagehide', () => {
    const { createWid } = window.require('WAWebWidFactory');
    for (const [key, stop] of shown) {
      stop();
      void window.require('WAWebChatStateBridge').sendChatStatePaused(createWid(key));
    }
  });
}

const turns = new Map<PageChat, Promise<unknown>>();

// Longer than any caller waits for its own work.
const TURN_MS = 30_000;

/** Runs work on a chat after all earlier work on it. */
export function oneByOne<T>(chat: PageChat, work: () => Promise<T>): Promise<T> {
  const before = within(turns.get(chat), TURN_MS);
  const done = before.then(work, work);
  turns.set(chat, done);
  const forget = () => {
    if (turns.get(chat) === done) turns.delete(chat);
  };
  done.then(forget, forget);
  return done;
}

type SendSeen = PageModules['WAWebUpdateUnreadChatAction']['sendSeen'];

let sendSeen: SendSeen | undefined;

/** The sends in progress that must not mark their chat as read. */
const quietSends = new Set<{ readonly chatId: string }>();

// The page may hold a send, and mark the chat as read, until it is connected again.
const MAX_QUIET_MS = 600_000;

/** The page marks a chat as read, at once or when the account is available the next time, whenever it sends into it. */
const seenUnlessQuiet: SendSeen = async (what) => {
  const isForSend = what.afterAvailable !== false;
  const id = String(what.chat.id);
  if (isForSend && [...quietSends].some(({ chatId }) => chatId === id)) return;
  await sendSeen?.call(optional('WAWebUpdateUnreadChatAction'), what);
};

/** Refuses a send that must not mark its chat as read, if this build of the page would. */
export function requireQuiet(): void {
  const isQuiet = wrapExport(optional('WAWebUpdateUnreadChatAction'), 'sendSeen', seenUnlessQuiet, (own) => {
    sendSeen = own;
  });
  if (isQuiet) return;
  throw new Refusal('page_unsupported', 'nothing was sent: this build of the page marks the chat as read');
}

/** Keeps a send quiet until the promise settles. */
export type QuietUntil = (end: Promise<unknown> | undefined) => void;

/**
 * Sends something into a chat; if `markRead` is false, without marking the chat as read, which needs `requireQuiet`
 * before. `send` passes to `quietUntil` the page's own promises, which may settle later than its answer.
 */
export async function sendingInto<T>(
  chatId: PageId,
  markRead: boolean | undefined,
  send: (quietUntil: QuietUntil) => Promise<T>,
): Promise<T> {
  if (markRead !== false) return send(() => {});
  const quiet = { chatId: String(knownChat(String(chatId))?.id ?? chatId) };
  const ends: Parameters<QuietUntil>[0][] = [];
  quietSends.add(quiet);
  try {
    return await send((end) => ends.push(end));
  } finally {
    void within(Promise.allSettled(ends), MAX_QUIET_MS).then(() => quietSends.delete(quiet));
  }
}

/** The chat with a person or group, by number or hidden id; undefined unless the page has it in memory. */
function findChat(id: string): PageChat | undefined {
  const { Chat } = window.require('WAWebCollections');
  const number = phoneOr(window.require('WAWebWidFactory').createWid(id));
  const chat = knownChat(id) ?? (number === id ? undefined : Chat.get(number));
  return chat && isChat(chat) ? chat : undefined;
}

/** As `findChat`, but refuses the call without one. */
export function ownChat(id: string): PageChat {
  const chat = findChat(id);
  if (chat) return chat;
  throw new Refusal('chat_not_found', 'the account has no such chat');
}

/** False unless it is a business account: only those have labels. */
export function hasLabels(): boolean {
  return /^smb/.test(window.require('WAWebConnModel').Conn.platform ?? '');
}

/** The labels of the account, without the network's own lists, such as that of unread chats. */
export function ownLabels(): PageLabel[] {
  const { ListType: types } = optional('WAWebSchemaLabel') ?? {};
  const own = new Set([0, types?.PREDEFINED ?? 4, types?.CUSTOM ?? 5, types?.LEAD]);
  const all = window.require('WAWebCollections').Label?.getModelsArray() ?? [];
  return all.filter(({ type, isActive }) => isActive !== false && own.has(type ?? 0));
}

/** The actions that remove a label from a chat: also the network's detected label, which would add it again. */
export function labelRemovals(id: string): LabelAction[] {
  const recognised = optional('WAWebBizLabelUtils')?.mapManualLabelIdToDetectedOutcomeLabelId?.(id);
  const listType = optional('WAWebSchemaLabel')?.ListType?.SERVER_ASSIGNED ?? 7;
  const also = recognised == null ? [] : [{ id: recognised, type: 'remove', listType } as const];
  return [...also, { id, type: 'remove' }];
}

/** The last message of a chat, without notices and the like if the page has another one in memory. */
function lastShown({ lastReceivedKey, msgs }: PageChat) {
  const isShown = (message: PageMessage) => message.type === 'revoked' || isDeliverable(message);
  const last = lastReceivedKey && window.require('WAWebCollections').Msg.get(String(lastReceivedKey));
  return last && !isShown(last) ? msgs.getModelsArray().filter(isShown).at(-1) : last;
}

/** A chat, as the page returns it. */
export function chatModel(chat: PageChat): Record<string, unknown> {
  const last = lastShown(chat);
  return {
    id: phoneOr(chat.id),
    name: chat.formattedTitle ?? chat.name,
    community: communityOf(chat),
    unreadCount: chat.unreadCount,
    lastActivity: chat.t,
    archived: 'archive' in chat ? chat.archive === true : undefined,
    pinned: 'pin' in chat ? Boolean(chat.pin) : undefined,
    muteExpiration: chat.mute && (chat.mute.expiration ?? 0),
    lastMessage: last && {
      body: textOf(last),
      timestamp: last.t,
      fromMe: last.id.fromMe,
    },
  };
}

/** Whether the phone has older messages of a chat than the page; undefined if unknown. */
export function isOlderOnPhone({ endOfHistoryTransferType: left }: PageChat): boolean | undefined {
  return left === 0 || left === 3 || left === 4 || left === 5 ? true : left === 1 ? false : undefined;
}
