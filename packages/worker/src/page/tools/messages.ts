import type { MessageModel, PageChat, PageId, PageMessage } from '../models.ts';
import { Refusal } from '../refusal.ts';
import { communityOf } from './groups.ts';
import { idsOf, isMe, lidOf, optional, ownIds, phoneOr, pushnameOf, resolveNumbers, usernameOf } from './identities.ts';
import { albumId, contactsOf, quotedContent, quotedId, referralOf, selectionOf } from './message-contents.ts';
import { hasCaption, textOf } from './message-texts.ts';
import { isDeliverable, isUnreadable, unavailability } from './message-types.ts';
import { formsOf, learnForm, networkId } from './number-forms.ts';

/** True for a post to the status feed, or a status posted to a group. */
export function isPost({ id, isGroupStatus }: PageMessage): boolean {
  return isGroupStatus === true || isStatus(id);
}

/** True for the key of a post to the status feed. */
export function isStatus({ remote }: Pick<PageMessage['id'], 'remote'>): boolean {
  return String(remote) === 'status@broadcast';
}

function isInGroup({ id }: PageMessage) {
  return String(id.remote).endsWith('@g.us');
}

/** A message, as the page returns it. */
export function messageModel(message: PageMessage): MessageModel {
  return {
    id: String(message.id),
    fromMe: message.id.fromMe,
    from: phoneOr(message.from),
    to: phoneOr(message.to),
    author: phoneOr(message.author),
    senderName: message.id.fromMe ? undefined : message.notifyName || pushnameOf(message.author ?? message.from),
    username: message.id.fromMe ? undefined : usernameOf(message.author ?? message.from),
    quotedMessageId: quotedId(message),
    quoted: quotedContent(message),
    mentionedIds: (message.mentionedJidList ?? []).map(phoneOr),
    mentionAll: message.nonJidMentions === 1,
    gif: message.isGif === true,
    viewOnce: message.isViewOnce === true,
    unavailable: unavailability(message),
    albumId: albumId(message),
    community: isInGroup(message)
      ? communityOf(window.require('WAWebCollections').Chat.get(message.id.remote))
      : undefined,
    type: message.type,
    body: hasCaption(message) ? undefined : textOf(message),
    caption: message.caption,
    location: message.type === 'location' ? { latitude: message.lat, longitude: message.lng } : undefined,
    contacts: contactsOf(message),
    referral: referralOf(message),
    selected: selectionOf(message),
    poll:
      message.type === 'poll_creation'
        ? {
            options: (message.pollOptions ?? []).map((option) => option?.name),
            multiple: message.pollSelectableOptionsCount !== 1,
          }
        : undefined,
    t: message.t,
    ack: message.ack,
    hasMedia: Boolean(message.directPath),
    mimetype: message.mimetype,
    filename: message.filename,
    isForwarded: message.isForwarded === true,
    isStatus: isPost(message),
  };
}

/** The model of a sent or changed message; undefined if it is unreadable, which must not fail the change. */
export function sentModel(message: PageMessage): MessageModel | undefined {
  try {
    return messageModel(message);
  } catch {
    return undefined;
  }
}

/**
 * The parts of a message's id. The sender's software chooses the one in the middle, which may contain the separator: what
 * follows it depends on the kind of the chat. The page's own `fromString` splits at each separator.
 */
export function parsedKey(text: string) {
  const [, fromMe, remote = '', rest = ''] = /^(true|false)_([^_]+)_(.+)$/s.exec(text) ?? [];
  const { createWid } = window.require('WAWebWidFactory');
  const chat = createWid(remote) as PageId;
  const tail = /@(g\.us|broadcast)$/.test(remote) ? /_([^_@]+@[a-z.]+)$/ : isMe(chat) ? /_(in|out)$/ : undefined;
  const [end = '', last = ''] = tail?.exec(rest) ?? [];
  const participant = last.includes('@') ? createWid(last) : undefined;
  return { fromMe: fromMe === 'true', remote: chat, id: rest.slice(0, rest.length - end.length), participant };
}

// The page stores each message under one key, and looks it up by both: others may send either.
function otherKey(key: string | object) {
  try {
    const { getAlternateMsgKey } = optional('WAWebLidMigrationUtils') ?? {};
    return getAlternateMsgKey?.(typeof key === 'string' ? parsedKey(key) : key) ?? undefined;
  } catch {
    return undefined; // No key of this build.
  }
}

async function stored(id: string) {
  const { Msg } = window.require('WAWebCollections');
  const loaded = Msg.get(id);
  if (loaded) return loaded;
  try {
    return (await Msg.getMessagesById([id]))?.messages?.[0];
  } catch (error) {
    // The page cannot read such a key from its database: it has the message until it is reloaded.
    if (parsedKey(id).id.includes('_')) return undefined;
    throw error;
  }
}

/** Queries the numbers of the hidden ids in a message, as `resolveNumbers` does. */
export function resolvePeople({
  from,
  to,
  author,
  quotedParticipant,
  mentionedJidList = [],
}: PageMessage): Promise<void> {
  return resolveNumbers([from, to, author, quotedParticipant, ...mentionedJidList], true);
}

/** The chat with an id, by either form of its number or hidden; undefined unless the page has it in memory. */
export function knownChat(id: string): PageChat | undefined {
  const { Chat } = window.require('WAWebCollections');
  for (const form of formsOf(id)) {
    const wid = window.require('WAWebWidFactory').createWid(form);
    const lid = lidOf(wid);
    const chat = Chat.get(wid) ?? (lid ? Chat.get(lid) : undefined);
    if (!chat) continue;
    if (form !== id) learnForm(id, form);
    return chat;
  }
  return undefined;
}

/** True for a person that the account has blocked. */
export function isBlocked(chatId: string): boolean {
  const { Blocklist } = window.require('WAWebCollections');
  const ids = idsOf(window.require('WAWebWidFactory').createWid(networkId(chatId)) as PageId);
  return ids.some((id) => Blocklist?.get(id));
}

/** True if the page allows quoting the message in a reply to this chat. */
export function isQuotable(message: PageMessage, chatId: string): boolean {
  if (!isStatus(message.id)) return window.require('WAWebMsgReply').canReplyMsg(message.unsafe());
  // The page's check is for messages in chats: its own composer does not call it for a status.
  const wid = window.require('WAWebWidFactory').createWid(networkId(chatId)) as PageId;
  const { participant, remote } = message.id;
  return (
    isDeliverable(message) &&
    !isUnreadable(message) &&
    idsOf(wid).includes(String(participant ?? message.author ?? remote))
  );
}

/** False for the status feed and channels, which the page may list among the chats. */
export function isChat({ id }: PageChat): boolean {
  return !/@(broadcast|newsletter)$/.test(String(id));
}

/** A message of this account in a chat, by the part of its id that we chose, even if it is not loaded. */
export async function findSent(messageId: string, chatId: string): Promise<PageMessage | undefined> {
  const isIt = ({ id }: PageMessage) => id.fromMe && id.id === messageId;
  const { Msg } = window.require('WAWebCollections');
  const loaded = Msg.getModelsArray().find(isIt);
  if (loaded) return loaded;
  const wid = window.require('WAWebWidFactory').createWid(chatId);
  const chats = new Set([chatId, String(knownChat(chatId)?.id ?? chatId), lidOf(wid) ?? chatId]);
  for (const chat of chats) {
    const key = `true_${chat}_${messageId}`;
    // With the author if the chat has several readers; with `_out` in a note to oneself.
    const keys = /@(c\.us|lid)$/.test(chat)
      ? [key, ...(ownIds().some((self) => String(self) === chat) ? [`${key}_out`] : [])]
      : ownIds().map((self) => `${key}_${self}`);
    for (const one of keys) {
      const found = await findMessage(one).catch(() => undefined); // No key of this build.
      if (found && isIt(found)) return found;
    }
  }
  return undefined;
}

/** A message by its serialised id, by number or hidden id, even if it is not loaded. */
export async function findMessage(id: string): Promise<PageMessage | undefined> {
  const found = await stored(id);
  if (found) return found;
  const other = otherKey(id);
  return other ? stored(String(other)) : undefined;
}

/** As `findMessage`, but refuses the call without one, and for a revoked one. */
export async function requireMessage(id: string): Promise<PageMessage> {
  const message = await findMessage(id);
  if (message && message.type !== 'revoked') return message;
  throw noMessage();
}

/** The refusal of a message to a person whom the account has blocked. */
export function blocked(): Refusal {
  return new Refusal('not_permitted', 'the account has blocked the recipient');
}

/** The refusal of a message that the page does not have. */
export function noMessage(): Refusal {
  return new Refusal('message_not_found', 'the message is unknown to this account, or was deleted');
}

/** The keys that other rows may use for a message: its own, and the one with the other id of a person in it. */
export function keysOf({ id }: PageMessage): PageMessage['id'][] {
  return [id, otherKey(id) ?? []].flat();
}
