import { delay } from './delay.ts';
import type { LoadedMedia } from './media.ts';
import type { MessageModel, PageId, PageMessage, Refused } from './models.ts';
import { isUnsent, voted } from './tools/changes.ts';
import { findChat, isOlderOnPhone, oneByOne } from './tools/chats.ts';
import { keep } from './tools/files.ts';
import { ownGroup } from './tools/groups.ts';
import { eachReadable, optional, phoneOr, resolveNumbers } from './tools/identities.ts';
import {
  findMessage,
  isDeliverable,
  isPost,
  keysOf,
  messageModel,
  resolvePeople,
  sentModel,
} from './tools/messages.ts';
import { refusal, refusedBy } from './tools/refusals.ts';

/** A message. */
export async function getMessage(messageId: string): Promise<MessageModel | 'no_message'> {
  const message = await findMessage(messageId);
  if (!message || !isDeliverable(message)) return 'no_message';
  await resolvePeople(message);
  return messageModel(message);
}

/** A page of messages, as models. */
export interface MessagePage {
  readonly models: readonly (MessageModel | undefined)[];
  readonly hasMore: boolean;
  readonly isOlderOnPhone?: boolean | undefined;
}

/**
 * Messages of a chat from the page's database, oldest first: before or after one of them, or the newest. Does not load
 * them into the chat, where they would stay in memory. `too_slow`: none was found in time.
 */
export async function listMessages(
  chatId: string,
  { before, after }: { readonly before?: string | undefined; readonly after?: string | undefined },
  limit: number,
  timeoutMs: number,
): Promise<MessagePage | 'no_chat' | 'no_message' | 'too_slow'> {
  const chat = findChat(chatId);
  if (!chat) return 'no_chat';
  const anchorId = before ?? after;
  const anchor = anchorId === undefined ? { remote: chat.id } : (await findMessage(anchorId))?.id;
  if (!anchor || phoneOr(anchor.remote) !== phoneOr(chat.id)) return 'no_message';
  const direction = after === undefined ? 'before' : 'after';
  const { msgFindByDirection } = window.require('WAWebDBMessageFindLocal');
  // The result includes notices: read on past these, since a client can only continue from a message.
  const minExtra = 100;
  const deadline = Date.now() + timeoutMs;
  let found: PageMessage[] = [];
  let from: { readonly remote: unknown } = anchor;
  let hasMore = true;
  for (let count = limit + 1; hasMore && found.length <= limit; count = Math.max(minExtra, limit + 1)) {
    if (Date.now() > deadline) break;
    const { messages = [], status } = await msgFindByDirection({ anchor: from as never, count, direction });
    if (status === 404) {
      if (from === anchor) return 'no_message';
      break; // The last message was deleted meanwhile.
    }
    const read = messages.filter((message) => message !== undefined && message !== null) as PageMessage[];
    const kept = read.filter((message) => isDeliverable(message) && !isPost(message));
    found = direction === 'before' ? [...kept, ...found] : [...found, ...kept];
    // It may leave out some of the messages: fewer than requested does not mean that this is the end.
    const last = direction === 'before' ? read[0] : read.at(-1);
    hasMore = last === undefined ? messages.length >= count : String(last.id) !== String(from);
    if (!last) break;
    from = last.id as never;
  }
  if (hasMore && found.length === 0) return 'too_slow';
  const page = direction === 'before' ? found.slice(-limit) : found.slice(0, limit);
  return {
    models: page.map(sentModel),
    hasMore: hasMore || found.length > limit,
    isOlderOnPhone: isOlderOnPhone(chat),
  };
}

/** Messages with words that start with the text, newest first. `not_ready`: the index did not answer in time. */
export async function searchMessages(
  text: string,
  chatId: string | undefined,
  page: number,
  limit: number,
  timeoutMs: number,
): Promise<MessagePage | 'no_chat' | 'not_ready'> {
  const chat = chatId === undefined ? undefined : findChat(chatId);
  if (chatId !== undefined && !chat) return 'no_chat';
  // The collection's own search loads what it finds, and caches the answer for a minute, regardless of `limit`.
  const find = optional('WAWebDBMessageFindLocal')?.msgFindSearch;
  const searching = find
    ? find({ searchTerm: text, page, count: limit, remote: chat?.id })
    : window.require('WAWebCollections').Msg.search(text, page, limit, chat?.id);
  // Until the index is open, the page keeps the search waiting: forever if opening fails.
  const late = delay(timeoutMs);
  const answer = await Promise.race([searching, late]);
  if (!answer) return 'not_ready';
  const { messages = [], eof, canceled, status = 200 } = answer;
  const nothingFound = 404;
  if (canceled === true || (status >= 400 && status !== nothingFound))
    throw new Error(`the page cancelled the search (status ${status})`);
  const found = messages.filter((message) => message && isDeliverable(message) && !isPost(message)).slice(0, limit);
  // The messages of one page are oldest first.
  const newestFirst = found.reverse().sort((one, other) => (other?.t ?? 0) - (one?.t ?? 0));
  return { models: newestFirst.map((message) => message && sentModel(message)), hasMore: eof === false };
}

/** The reactions to a message; times in milliseconds. */
export async function listReactions(
  messageId: string,
): Promise<{ readonly from: unknown; readonly emoji: unknown; readonly atMs: unknown }[] | 'no_message'> {
  const message = await findMessage(messageId);
  if (!message || message.type === 'revoked') return 'no_message';
  const { getReactions } = window.require('WAWebDBGetReactions');
  let reactions: Awaited<ReturnType<typeof getReactions>>['reactions'];
  for (const key of keysOf(message)) if (!reactions?.length) ({ reactions } = await getReactions(String(key)));
  const senders = eachReadable(reactions, (group) => group.senders ?? []).flat();
  const { createWid } = window.require('WAWebWidFactory');
  // The page also stores the account's own reactions that the network does not have.
  const isUnsentKey = (key: unknown, ack: unknown) =>
    String(key).startsWith('true_') && typeof ack === 'number' && ack <= 0;
  const rows = eachReadable(senders, ({ msgKey, ack, senderUserJid, reactionText, timestamp }) => {
    const person = createWid(String(senderUserJid)) as PageId;
    return isUnsentKey(msgKey, ack) ? [] : { person, emoji: reactionText, atMs: timestamp };
  }).flat();
  await resolveNumbers(rows.map(({ person }) => person));
  return rows.map(({ person, ...reaction }) => ({ ...reaction, from: phoneOr(person) }));
}

/** The votes in a poll, without retracted ones; times in milliseconds. */
export async function listPollVotes(messageId: string): Promise<'no_poll' | readonly unknown[]> {
  const poll = await findMessage(messageId);
  if (!poll?.pollOptions) return 'no_poll';
  const { pollVoteTableMode } = window.require('WAWebAddonPollVoteTableMode');
  const votes = await pollVoteTableMode.bulkGetByParentMsgKey?.(keysOf(poll));
  const changes = eachReadable(votes, (vote) => (isUnsent(vote) ? [] : (voted(vote, poll) ?? []))).flat();
  await resolveNumbers(changes.flatMap(({ people }) => people));
  const cast = eachReadable(changes, ({ at, read }) => ({ from: undefined as unknown, ...read().data, at }));
  // A person may have a vote under each of the two keys.
  return [...new Map(cast.sort((one, other) => one.at - other.at).map((vote) => [vote.from, vote])).values()];
}

/** Who received, read and played a message of the account; times in Unix seconds. */
export async function listReceipts(messageId: string) {
  const message = await findMessage(messageId);
  if (!message || message.type === 'revoked') return 'no_message';
  if (!message.id.fromMe) return 'not_mine';
  const info = await window.require('WAWebApiMessageInfoStore').queryMsgInfo(message.id);
  const lists = [info.delivery, info.read, info.played].map((list) => eachReadable(list, ({ id, t }) => ({ id, t })));
  await resolveNumbers(lists.flat().map(({ id }) => id));
  const [delivered, read, played] = lists.map((list) =>
    eachReadable(list, ({ id, t }) => ({ id: phoneOr(id), at: t })),
  );
  // If each list includes the next one, `deliveryRemaining` of the page subtracts readers twice.
  const isGroup = String(message.id.remote).endsWith('@g.us');
  const all = info.playedRemaining === undefined ? undefined : info.playedRemaining + (info.played?.length ?? 0);
  const remaining = isGroup || all === undefined ? info.deliveryRemaining : all - (info.delivery?.length ?? 0);
  return { delivered, read, played, remaining };
}

/** Stores the preview in a message under a key; null if there is none. */
export async function loadThumbnail(messageId: string, key: string): Promise<LoadedMedia | null | 'no_message'> {
  const message = await findMessage(messageId);
  if (!message || message.type === 'revoked') return 'no_message';
  // The body of a file or location is its preview; that of any other message is its text.
  const hasPreview = message.directPath !== undefined || message.type === 'location';
  const body = hasPreview ? message.body : undefined;
  const jpegStart = '/9j/';
  if (!body?.startsWith(jpegStart)) return null;
  const file = window.WWebJS.mediaInfoToFile({ data: body, mimetype: 'image/jpeg' });
  keep(key, file);
  return { size: file.size, mimeType: 'image/jpeg', filename: undefined };
}

/**
 * Stars a message, or removes the star. The page shows it at once; other devices get it later. `not_allowed`: this kind
 * of message cannot be starred; `ignored`: the page did not apply it.
 */
export async function starMessage(
  messageId: string,
  starred: boolean,
): Promise<'ok' | 'no_message' | 'not_allowed' | 'ignored'> {
  const message = await findMessage(messageId);
  const chat = message && window.require('WAWebCollections').Chat.get(message.id.remote);
  if (!message || !chat || !isDeliverable(message)) return 'no_message';
  const { canStarMsg } = optional('WAWebMsgActionCapability') ?? {};
  if (starred && canStarMsg && !canStarMsg(message)) return 'not_allowed';
  const { sendStarMsgs } = window.require('WAWebChatSendMessages');
  // While one is running in the chat, the page returns its promise, even for another message.
  await oneByOne(chat, () => sendStarMsgs(chat, [message], starred));
  return (message.star === true) === starred ? 'ok' : 'ignored';
}

/**
 * Pins a message in its chat, or unpins it. `not_allowed`: only admins of the group may; `not_pinnable`: this kind of
 * message cannot be pinned; `not_sent`: the network does not have it; `unknown`: the page does not report the outcome.
 */
export async function pinMessage(
  messageId: string,
  pinned: boolean,
  duration: { readonly name: string; readonly seconds: number },
  membersMs: number,
): Promise<'ok' | 'no_message' | 'not_allowed' | 'not_pinnable' | 'not_sent' | 'unknown' | Refused> {
  const message = await findMessage(messageId);
  if (!message || !isDeliverable(message)) return 'no_message';
  const chatId = String(message.id.remote);
  if (message.id.fromMe && message.ack !== undefined && message.ack < 1) return 'not_sent';
  const { canPinMsg } = optional('WAWebMsgActionCapability') ?? {};
  if (chatId.endsWith('@g.us')) {
    const own = await ownGroup(chatId, membersMs);
    const { restrict, announce } = own?.group.groupMetadata ?? {};
    // The check of the page before it offers to pin.
    if (!own || ((restrict || announce) && own.isAdmin === false)) return 'not_allowed';
    // `canPinMsg` also reads the members, which may not be loaded.
    if (pinned && own.members && canPinMsg && !canPinMsg(message)) return 'not_pinnable';
  } else if (pinned && canPinMsg && !canPinMsg(message)) return 'not_pinnable';
  // Everyone in the chat sees each pin, even one that changes nothing. A message without an entry here may be pinned.
  const held = optional('WAWebPinInChatCollection')?.PinInChatCollection?.getByParentMsgKey?.(message.id);
  if (held && (held.ack ?? 1) > 0) {
    const recentMs = 3_600_000; // A later one pins it for longer.
    const isRecent = Date.now() - (held.senderTimestampMs ?? 0) < recentMs;
    const isSame = held.pinType === 1 && held.pinExpiryDuration === duration.seconds && isRecent;
    if (pinned ? isSame : held.pinType === 2) return 'ok';
  }
  try {
    await window.require('WAWebSendPinMessageAction').sendPinInChatMsg(message, pinned ? 1 : 2, duration.name);
    return 'ok';
  } catch (error) {
    // The page throws the same error for a refusal and for a lost connection.
    return refusal(error) === undefined ? 'unknown' : refusedBy(error);
  }
}
