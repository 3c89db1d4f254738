import type { MessageType, PhoneMessage } from '../api.ts';
import type { WireMessage, WireQuote, WireReaction, WireReceipt, WireType, WireVote } from '../page/wire.ts';
import { chatIdOf } from './account.ts';
import { memberIdOf } from './group.ts';
import { findMessage, peerIdForPhones, peerOf } from './message.ts';
import { textDetails, typedContentView } from './message-fields.ts';
import type { AccountRecord, Message, Peer, Quote } from './records.ts';

const knownTypes: Readonly<Record<WireType, MessageType>> = {
  chat: 'text',
  image: 'image',
  video: 'video',
  ptv: 'note',
  audio: 'audio',
  ptt: 'voice',
  document: 'document',
  sticker: 'sticker',
  location: 'location',
  vcard: 'contact',
  multi_vcard: 'contacts',
  poll_creation: 'poll',
  revoked: 'revoked',
  groups_v4_invite: 'invite',
  gp2: 'notice',
  call_log: 'notice',
  e2e_notification: 'notice',
  notification_template: 'notice',
};

const phoneTypes = new Map<string, MessageType>(Object.entries(knownTypes));

/** A person's name on a phone: as in its address book, otherwise as the person chose it. */
export function nameFor(viewer: AccountRecord, person: AccountRecord): string {
  return viewer.book.get(person)?.name ?? person.name;
}

/** Whether it is a notice, which no person has written. */
export function isNotice({ type }: Pick<Message, 'type'>): boolean {
  return phoneTypes.get(type) === 'notice';
}

/** Whether the account has written it; messages of channels have no author for others than their owner. */
export function isWrittenBy(account: AccountRecord, { from, to }: Pick<Message, 'from' | 'to'>): boolean {
  return from === account && (to.kind !== 'newsletter' || to.owner === account);
}

/** The message as a phone has it. */
export function phoneView(message: Message, account: AccountRecord): PhoneMessage {
  const { id, from, to, timestamp, ack, quoted, attachment, style, revocation, editedAtMs } = message;
  const base = {
    id,
    from: from.pn,
    to: peerIdForPhones(to),
    chat: peerIdForPhones(peerOf(message, account)),
    fromMe: from === account,
    timestamp,
    ack,
    edited: editedAtMs !== undefined,
    author: to.kind === 'person' ? undefined : from.pn,
    authorName: to.kind === 'person' ? undefined : nameFor(account, from),
  };
  if (revocation) return { ...base, type: 'revoked', body: '', reactions: [] };
  return {
    ...base,
    type: phoneTypes.get(message.type) ?? 'other',
    // Of a place, that is its map.
    body: message.type === 'location' ? '' : message.body,
    ...typedContentView(message),
    ...textDetails(message),
    reactions: [...message.reactions].flatMap(([who, { emoji }]) => (emoji === '' ? [] : { from: who.pn, emoji })),
    quotedMessageId: quoted && quotedIn(message, quoted, account)?.id,
    quotedBody: quoted?.body,
    mimeType: attachment?.mimetype,
    size: attachment?.size,
    filename: attachment?.filename,
    isGif: attachment?.isGif || undefined,
    isViewOnce: attachment?.isViewOnce || undefined,
    backgroundColor: style && hex(style.backgroundColor),
    font: style?.font,
    hasSecret: message.hasSecret,
    starred: message.starredBy.has(account),
    pinned: (message.pinnedUntilMs ?? 0) > Date.now(),
  };
}

/** The message that a reply quotes: it is looked up in one chat only. */
function quotedIn(reply: Message, { id, chat }: Quote, account: AccountRecord): Message | undefined {
  const found = findMessage(account, id);
  return found && peerOf(found, account) === (chat ?? peerOf(reply, account)) ? found : undefined;
}

/** The message as the account's linked devices see it. */
export function deviceView(message: Message, account: AccountRecord): WireMessage {
  const { id, from, to, timestamp, ack, decryptLateMs, undecrypted, isQuiet, editedAtMs, revocation } = message;
  const fromMe = isWrittenBy(account, message);
  const peer = peerOf(message, account);
  const chat = peerIdForDevices(peer);
  const base = {
    chat,
    fromMe,
    t: timestamp,
    // A message of another person has reached the server; only its author's devices see its acks.
    ack: fromMe ? ack : seenAck(message, account),
    notifyName: from.name,
    from: fromMe ? idIn(peer, account, account) : chat,
    to: fromMe ? chat : account.pn,
    author: to.kind === 'person' || to.kind === 'newsletter' ? undefined : idIn(peer, from, account),
    isQuiet,
    decryptLateMs: fromMe ? undefined : decryptLateMs,
    undecrypted,
  };
  if (revocation) {
    const gone = { revokedId: id, revokedBy: idIn(peer, revocation.by, account), revokedAtMs: revocation.atMs };
    return { ...base, id: revocation.id, type: 'revoked', body: '', reactions: [], ...gone };
  }
  return { ...base, id, ...deviceContent(message, account), editedAtMs };
}

/** The delivery state of a message for each recipient, as its author's devices see it. */
export function receiptViews(message: Message): WireReceipt[] {
  const peer = peerOf(message, message.from);
  return [...message.receipts].map(([who, ack]) => {
    const t = message.receiptTimes.get(who) ?? message.timestamp;
    return { who: idIn(peer, who, message.from), ack, t };
  });
}

/** A status that was seen stays seen. */
function seenAck({ to, receipts }: Message, account: AccountRecord): number {
  return to.kind === 'status' && receipts.get(account) === 3 ? 3 : 1;
}

/** The message's id in the account's pages. */
export function keyView(message: Message, account: AccountRecord): string {
  const { fromMe, chat, id, author } = deviceView(message, account);
  return `${fromMe}_${chat}_${id}${author === undefined ? '' : `_${author}`}`;
}

type DeviceContent = Omit<WireMessage, 'id' | 'chat' | 'from' | 'to' | 'fromMe' | 't' | 'ack'>;

function deviceContent(message: Message, account: AccountRecord): DeviceContent {
  const { type, body, quoted, attachment, mentions, notice, style, fields } = message;
  const peer = peerOf(message, account);
  const view = (who: AccountRecord) => idIn(peer, who, account);
  return {
    type,
    body,
    reactions: reactionsOf(message, account),
    votes: votesOf(message, account),
    quoted: quoted && quoteView(quoted, peer, account),
    media: attachment,
    mentions: mentions.length > 0 ? mentions.map(view) : undefined,
    notice: notice && { subtype: notice.subtype, recipients: notice.recipients.map(view) },
    style,
    fields,
  };
}

function reactionsOf(message: Message, account: AccountRecord): WireReaction[] {
  const peer = peerOf(message, account);
  return [...message.reactions].map(([who, { id, emoji, atMs }]) => {
    return { id, emoji, atMs, from: idIn(peer, who, account), fromMe: who === account };
  });
}

function votesOf(message: Message, account: AccountRecord): WireVote[] | undefined {
  if (message.votes.size === 0) return undefined;
  const peer = peerOf(message, account);
  return [...message.votes].map(([who, vote]) => {
    return { ...vote, from: idIn(peer, who, account), fromMe: who === account };
  });
}

/** The author's id is the one that the chat of the quoted message uses for its members. */
function quoteView({ author, chat, ...content }: Quote, peer: Peer, account: AccountRecord): WireQuote {
  return { ...content, author: idIn(chat ?? peer, author, account), chat: chat && peerIdForDevices(chat) };
}

/** The id of a chat in the account's pages. */
export function peerIdForDevices(peer: Peer): string {
  return peer.kind === 'person' ? chatIdOf(peer) : peer.id;
}

/** The id of a person in a chat, as the account sees it. */
function idIn(peer: Peer, who: AccountRecord, account: AccountRecord): string {
  if (peer.kind === 'group') return memberIdOf(peer, who);
  if (who !== account) return chatIdOf(who);
  // In a chat by hidden numbers the account writes under its own hidden number.
  return peer.kind === 'person' && peer.addressing === 'lid' ? who.lid : who.pn;
}

function hex(argb: number): string {
  return `#${(argb & 0xffffff).toString(16).padStart(6, '0')}`;
}
