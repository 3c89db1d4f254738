import { within } from './delay.ts';
import type { MessageModel, PageChat, PageMessage } from './models.ts';
import { isAwaited, reportArrival, reportOnceReadable } from './tools/arrivals.ts';
import { eachReadable, resolveNumbers } from './tools/identities.ts';
import { isDeliverable, isUnreadable } from './tools/message-types.ts';
import { findMessage, isChat, messageModel } from './tools/messages.ts';

/** An inbound message in the page's memory. `isNew`: it arrived live, and is not loaded history. */
export interface HeldMessage {
  readonly id: string;
  readonly isNew: boolean;
}

/** Limits for loading stored messages. */
export interface LoadLimits {
  readonly timeoutMs: number;
  readonly maxMessages: number;
}

/** `loaded`: number of messages. */
export interface LoadResult {
  readonly loaded: number;
  readonly incompleteChats: number;
}

/** The inbound messages since a time (Unix seconds) in the page's memory, oldest first. */
export function inboundSince(sinceSeconds: number): HeldMessage[] {
  const { Chat, Msg } = window.require('WAWebCollections');
  // Timestamps are whole seconds; within a second, the chat has the order of its messages.
  const places = new Map<string, number>();
  for (const chat of Chat.getModelsArray().filter(({ t }) => (t ?? 0) >= sinceSeconds))
    for (const [place, { id }] of chat.msgs.getModelsArray().entries()) places.set(String(id), place);
  const placeOf = ({ id }: PageMessage) => places.get(String(id)) ?? 0;
  return (
    Msg.getModelsArray()
      .filter((message) => !message.id.fromMe && (message.t ?? 0) >= sinceSeconds && isDeliverable(message))
      // These are reported later, when the page has their content, or does not get it.
      .filter((message) => !isAwaited(message, reportArrival))
      .sort((a, b) => (a.t ?? 0) - (b.t ?? 0) || placeOf(a) - placeOf(b))
      .map((message) => ({ id: String(message.id), isNew: message.isNewMsg === true }))
  );
}

/** True if a chat has changed since a time (Unix seconds): messages may have been missed. */
export function hasChanged(sinceSeconds: number): boolean {
  const { Chat } = window.require('WAWebCollections');
  return Chat.getModelsArray().some((chat) => (chat.t ?? 0) > sinceSeconds && isChat(chat));
}

/**
 * Loads the stored messages since a time (Unix seconds) into memory: after a start, the page has only the last few of
 * each chat there. Starts with the newest chats, and loads one batch of each in turn, so that a long chat does not
 * delay the others. Ends when a limit is reached; the next call goes on from there.
 */
export async function loadSince(sinceSeconds: number, { timeoutMs, maxMessages }: LoadLimits): Promise<LoadResult> {
  const { Chat } = window.require('WAWebCollections');
  const { loadEarlierMsgs } = window.require('WAWebChatLoadMessages');
  const deadline = Date.now() + timeoutMs;
  // Without the status feed: accounts were unlinked when its history was read after linking.
  const reachesBack = (chat: PageChat) => chat.msgs.getModelsArray().some(({ t }) => (t ?? 0) < sinceSeconds);
  let left = Chat.getModelsArray()
    .filter((chat) => (chat.t ?? 0) >= sinceSeconds && isChat(chat) && !reachesBack(chat))
    .sort((a, b) => (b.t ?? 0) - (a.t ?? 0));
  let loaded = 0;
  let failed = 0;
  while (left.length > 0) {
    const unfinished: PageChat[] = [];
    for (const chat of left) {
      if (loaded >= maxMessages || Date.now() >= deadline) {
        unfinished.push(chat);
        continue;
      }
      const earlier = await within(
        loadEarlierMsgs({ chat }).catch(() => 'failed' as const),
        deadline - Date.now(),
        'late',
      );
      if (earlier === 'late') unfinished.push(chat);
      else if (earlier === 'failed') failed += 1;
      else if (earlier && earlier.length > 0) {
        loaded += earlier.length;
        if (!reachesBack(chat)) unfinished.push(chat);
      }
    }
    left = unfinished;
    if (loaded >= maxMessages || Date.now() >= deadline) break;
  }
  return { loaded, incompleteChats: left.length + failed };
}

/**
 * The models of those messages whose content the page has now; the others, which were reported without it, are reported
 * again when it comes.
 */
export async function contentsOf(ids: readonly string[]): Promise<MessageModel[]> {
  const found = await Promise.all(ids.map((id) => findMessage(id).catch(() => undefined)));
  const messages = found.filter((message) => message !== undefined);
  for (const message of messages.filter(isUnreadable)) reportOnceReadable(message, reportArrival, true);
  const readable = messages.filter((message) => !isUnreadable(message) && isDeliverable(message));
  await resolveNumbers(readable.flatMap(peopleOf));
  return eachReadable(readable, messageModel);
}

function peopleOf({ from, author, mentionedJidList = [] }: PageMessage) {
  return [from, author, ...mentionedJidList];
}

/** The models of messages by their ids, in that order; those that are gone or unreadable are left out. */
export async function messageModels(ids: readonly string[]): Promise<MessageModel[]> {
  const { Msg } = window.require('WAWebCollections');
  const messages = ids.flatMap((id) => Msg.get(id) ?? []);
  await resolveNumbers(messages.flatMap(peopleOf));
  return eachReadable(messages, messageModel);
}
