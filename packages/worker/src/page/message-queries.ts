import { within } from './delay.ts';
import type { LoadedMedia } from './media.ts';
import type { MessageModel, PageId, PageMessage } from './models.ts';
import { ignored, networkCode, Refusal, unreported } from './refusal.ts';
import { isUnsent, voted } from './tools/changes.ts';
import { isOlderOnPhone, oneByOne, ownChat } from './tools/chats.ts';
import { keep } from './tools/files.ts';
import { ownGroup } from './tools/groups.ts';
import { eachReadable, idsOf, optional, phoneOr, resolveNumbers } from './tools/identities.ts';
import { base64File } from './tools/library.ts';
import { isDeliverable } from './tools/message-types.ts';
import {
  findMessage,
  isPost,
  keysOf,
  messageModel,
  noMessage,
  requireMessage,
  resolvePeople,
  sentModel,
} from './tools/messages.ts';
import { changingMessage } from './tools/records.ts';

/** The result includes notices: read on past these, since a client can only continue from a message. */
const MIN_COUNT = 100;
/** The status of a search without a result. */
const NOTHING_FOUND = 404;
/** The first bytes of a JPEG, in base64. */
const JPEG_START = '/9j/';
/** A later pin keeps a message pinned for longer. */
const RECENT_PIN_MS = 3_600_000;
/** What the phone still has of a chat, in `endOfHistoryTransferType`. */
const SYNCING = 2;
const PHONE_ONLY = 4;
const NOT_SHARED = 5;

/** A message. */
export async function getMessage(messageId: string): Promise<MessageModel> {
  const message = await findMessage(messageId);
  if (!message || !isDeliverable(message)) throw noMessage();
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
 * them into the chat, where they would stay in memory. Without any in time, the call is refused.
 */
export async function listMessages(
  chatId: string,
  { before, after }: { readonly before?: string | undefined; readonly after?: string | undefined },
  limit: number,
  timeoutMs: number,
): Promise<MessagePage> {
  const chat = ownChat(chatId);
  const anchorId = before ?? after;
  const anchor = anchorId === undefined ? { remote: chat.id } : (await findMessage(anchorId))?.id;
  if (!anchor || phoneOr(anchor.remote) !== phoneOr(chat.id)) throw noMessage();
  const direction = after === undefined ? 'before' : 'after';
  const { msgFindByDirection } = window.require('WAWebDBMessageFindLocal');
  const deadline = Date.now() + timeoutMs;
  let found: PageMessage[] = [];
  let from: { readonly remote: unknown } = anchor;
  let hasMore = true;
  for (let count = limit + 1; hasMore && found.length <= limit; count = Math.max(MIN_COUNT, limit + 1)) {
    if (Date.now() > deadline) break;
    const { messages = [], status } = await msgFindByDirection({ anchor: from as never, count, direction });
    if (status === 404) {
      if (from === anchor) throw noMessage();
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
  if (hasMore && found.length === 0)
    throw new Refusal('client_failed', 'the page did not find a message among the notices of the chat in time');
  const page = direction === 'before' ? found.slice(-limit) : found.slice(0, limit);
  return {
    models: page.map(sentModel),
    hasMore: hasMore || found.length > limit,
    isOlderOnPhone: isOlderOnPhone(chat),
  };
}

/** Messages with words that start with the text, newest first. */
export async function searchMessages(
  text: string,
  chatId: string | undefined,
  page: number,
  limit: number,
  timeoutMs: number,
): Promise<MessagePage> {
  const chat = chatId === undefined ? undefined : ownChat(chatId);
  // The collection's own search loads what it finds, and caches the answer for a minute, regardless of `limit`.
  const find = optional('WAWebDBMessageFindLocal')?.msgFindSearch;
  const searching = find
    ? find({ searchTerm: text, page, count: limit, remote: chat?.id })
    : window.require('WAWebCollections').Msg.search(text, page, limit, chat?.id);
  // Until the index is open, the page keeps the search waiting: forever if opening fails.
  const answer = await within(searching, timeoutMs);
  if (!answer) throw new Refusal('client_failed', 'the search index of the page is not ready; retry later');
  const { messages = [], eof, canceled, status = 200 } = answer;
  if (canceled === true || (status >= 400 && status !== NOTHING_FOUND))
    throw new Error(`the page cancelled the search (status ${status})`);
  const found = messages.filter((message) => message && isDeliverable(message) && !isPost(message)).slice(0, limit);
  // The messages of one page are oldest first.
  const newestFirst = found.reverse().sort((one, other) => (other?.t ?? 0) - (one?.t ?? 0));
  return { models: newestFirst.map((message) => message && sentModel(message)), hasMore: eof === false };
}

/** The reactions to a message; times in milliseconds. */
export async function listReactions(
  messageId: string,
): Promise<{ readonly from: unknown; readonly emoji: unknown; readonly atMs: unknown }[]> {
  const message = await requireMessage(messageId);
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
export async function listPollVotes(messageId: string): Promise<readonly unknown[]> {
  const poll = await findMessage(messageId);
  if (!poll?.pollOptions) throw new Refusal('message_not_found', 'the account has no poll with this id');
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
  const message = await requireMessage(messageId);
  if (!message.id.fromMe) throw new Refusal('not_permitted', 'only messages that this account sent have receipts');
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
export async function loadThumbnail(messageId: string, key: string): Promise<LoadedMedia | null> {
  const message = await requireMessage(messageId);
  // The body of a file or location is its preview; that of any other message is its text.
  const hasPreview = message.directPath !== undefined || message.type === 'location';
  const body = hasPreview ? message.body : undefined;
  if (!body?.startsWith(JPEG_START)) return null;
  const file = base64File(body, 'image/jpeg');
  keep(key, file);
  return { size: file.size, mimeType: 'image/jpeg', filename: undefined };
}

/** Stars a message, or removes the star. The page shows it at once; other devices get it later. */
export async function starMessage(messageId: string, starred: boolean): Promise<void> {
  const message = await findMessage(messageId);
  const chat = message && window.require('WAWebCollections').Chat.get(message.id.remote);
  if (!message || !chat || !isDeliverable(message)) throw noMessage();
  const { canStarMsg } = optional('WAWebMsgActionCapability') ?? {};
  if (starred && canStarMsg && !canStarMsg(message))
    throw new Refusal('not_permitted', 'messages of this kind cannot be starred');
  const { sendStarMsgs } = window.require('WAWebChatSendMessages');
  // While one is running in the chat, the page returns its promise, even for another message.
  await oneByOne(chat, () => sendStarMsgs(chat, [message], starred));
  if ((message.star === true) !== starred) throw ignored();
}

/** Pins a message in its chat, or unpins it. */
export async function pinMessage(
  messageId: string,
  pinned: boolean,
  duration: { readonly name: string; readonly seconds: number },
  membersMs: number,
): Promise<void> {
  const message = await findMessage(messageId);
  if (!message || !isDeliverable(message)) throw noMessage();
  const chatId = String(message.id.remote);
  if (message.id.fromMe && message.ack !== undefined && message.ack < 1)
    throw new Refusal('not_permitted', 'the network does not have the message yet: it cannot be pinned');
  const { canPinMsg } = optional('WAWebMsgActionCapability') ?? {};
  if (chatId.endsWith('@g.us')) {
    const own = await ownGroup(chatId, membersMs);
    const { restrict, announce } = own?.group.groupMetadata ?? {};
    // The check of the page before it offers to pin.
    if (!own || ((restrict || announce) && own.isAdmin === false))
      throw new Refusal('not_permitted', 'in this group only admins can pin messages, or the account is not in it');
    // `canPinMsg` also reads the members, which may not be loaded.
    if (pinned && own.members && canPinMsg && !canPinMsg(message)) throw notPinnable();
  } else if (pinned && canPinMsg && !canPinMsg(message)) throw notPinnable();
  // Everyone in the chat sees each pin, even one that changes nothing. A message without an entry here may be pinned.
  const held = optional('WAWebPinInChatCollection')?.PinInChatCollection?.getByParentMsgKey?.(message.id);
  if (held && (held.ack ?? 1) > 0) {
    const isRecent = Date.now() - (held.senderTimestampMs ?? 0) < RECENT_PIN_MS;
    const isSame = held.pinType === 1 && held.pinExpiryDuration === duration.seconds && isRecent;
    if (pinned ? isSame : held.pinType === 2) return;
  }
  await changingMessage('pin', message, async (refusal) => {
    try {
      await window.require('WAWebSendPinMessageAction').sendPinInChatMsg(message, pinned ? 1 : 2, duration.name);
    } catch (error) {
      const unknown = unreported(`the message was ${pinned ? 'pinned' : 'unpinned'}`);
      throw refusal() ?? (networkCode(error) === undefined ? unknown : error);
    }
  });
}

function notPinnable() {
  return new Refusal('not_permitted', 'messages of this kind cannot be pinned');
}

/** The outcome of a request for older messages. */
export interface OlderMessages {
  readonly id: string;
  /** False: the phone has none. */
  readonly loaded: boolean;
  readonly isOlderOnPhone: boolean | undefined;
}

/** Requests older messages of a chat from the phone. They are stored in the page's database, and not loaded. */
export async function loadOlderMessages(chatId: string, timeoutMs: number): Promise<OlderMessages> {
  const chat = ownChat(chatId);
  const left = () => chat.endOfHistoryTransferType;
  const result = (loaded: boolean) => ({
    id: phoneOr(chat.id) ?? chatId,
    loaded,
    isOlderOnPhone: isOlderOnPhone(chat),
  });
  if (left() === PHONE_ONLY)
    throw new Refusal(
      'not_permitted',
      'the phone has older messages, but does not send more of them to linked devices',
    );
  if (left() === SYNCING)
    throw new Refusal(
      'client_failed',
      'the phone has not yet sent all messages of this chat, and may have older ones: retry later',
    );
  if (isOlderOnPhone(chat) !== true) return result(false);

  const events = window.require('WAWebHistorySyncOnDemandEvents').WAWebHistorySyncOnDemandEvents;
  const named = (end: string) => `history_sync_on_demand_events:${end}_history_sync_od`;
  const [success, failure] = [named('success'), named('error')];
  // The event has the chat's number or hidden id.
  const userOf = (id: unknown) => String(id).split('@', 1)[0];
  const own = new Set([chat.id, chat.accountLid].flatMap((id) => (id ? idsOf(id).map(userOf) : [])));
  const isOwn = (jid: unknown) => own.has(userOf(jid));
  let outcome: boolean | undefined;
  let settle: () => void = () => {};
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const listen = (isAnswered: boolean) => (jid: unknown) => {
    if (!isOwn(jid)) return;
    outcome = isAnswered;
    settle();
  };
  const [onSuccess, onFailure] = [listen(true), listen(false)];
  const deadline = Date.now() + timeoutMs;
  events.on(success, onSuccess);
  events.on(failure, onFailure);
  try {
    const { sendPeerDataOperationRequest } = window.require('WAWebSendNonMessageDataRequest');
    await within(sendPeerDataOperationRequest(3, { chatId: chat.id }), timeoutMs);
    // After several unanswered requests, the page silently stops sending them for a while.
    const utils = optional('WAWebNonMessageDataRequestHistorySyncOnDemandUtils');
    const asked = utils?.inFlightHistorySyncOnDemandRequests;
    if (outcome === undefined && asked && ![...asked.values()].some(isOwn))
      throw new Refusal(
        'client_failed',
        'the page has paused its requests to the phone, as it does after several unanswered ones; retry later',
      );
    await within(settled, deadline - Date.now());
  } finally {
    events.off(success, onSuccess);
    events.off(failure, onFailure);
  }
  if (outcome !== true) throw new Refusal('client_failed', 'the phone did not answer; open WhatsApp on it, then retry');
  if (left() !== NOT_SHARED) return result(true);
  throw new Refusal(
    'not_permitted',
    'the phone does not share older messages: on it, under Linked devices, turn on "All chat history" for this device',
  );
}
