import { mediaFieldNames } from './media/media-data.ts';
import { Msg, type MsgAttributes, passedFields, type RevokeRecord } from './models/message.ts';
import { MsgKey } from './msg-key.ts';
import { switches } from './switches.ts';
import { createWid, type Wid } from './wid.ts';
import type { WireDraft, WireMedia, WireMessage, WireQuote, WireSelf } from './wire.ts';

/** The id that a message of the network has in the page. */
export function msgKeyOf({ fromMe, chat, id, author }: Pick<WireMessage, 'fromMe' | 'chat' | 'id' | 'author'>): MsgKey {
  const participant = author === undefined ? undefined : createWid(author);
  return new MsgKey({ fromMe, remote: createWid(chat), id, participant });
}

/** A message of the network as the page holds it; it may not be decrypted, a new one also not yet. */
export function createMsg(message: WireMessage, isNew: boolean): Msg {
  const { author, notifyName, undecrypted } = message;
  const isLate = isNew && message.decryptLateMs !== undefined;
  const attributes: Partial<MsgAttributes> = {
    id: msgKeyOf(message),
    from: createWid(message.from),
    to: createWid(message.to),
    t: message.t,
    self: message.fromMe ? 'out' : 'in',
    ack: message.ack,
    viewed: false,
    star: false,
    mentionedJidList: [],
    groupMentions: [],
    hasReaction: false,
  };
  // For a script, an attribute with the value undefined is not the same as a missing one.
  if (!message.isQuiet) attributes.isNewMsg = isNew;
  if (author !== undefined) attributes.author = createWid(author);
  if (notifyName !== undefined) attributes.notifyName = notifyName;
  if (!isLate && !undecrypted) return new Msg({ ...attributes, ...contentAttributes(message) });
  const { subtype } = undecrypted ?? {};
  return new Msg({ ...attributes, type: 'ciphertext', ...(subtype === undefined ? {} : { subtype }) });
}

/** The visible content of a message, once it is decrypted. */
export function contentAttributes(message: WireMessage): Partial<MsgAttributes> {
  const { type, notice, media, mentions, style, fields, revokedId, editedAtMs } = message;
  const attributes: Partial<MsgAttributes> = { type };
  if (media) attributes.deprecatedMms3Url = `https://mmg.whatsapp.net${media.directPath}`;
  if (mentions) attributes.mentionedJidList = mentions.map((id) => createWid(id));
  if (notice) {
    attributes.subtype = notice.subtype;
    attributes.recipients = [...notice.recipients];
  }
  if (revokedId !== undefined) Object.assign(attributes, revocationAttributes(message, revokedId));
  if (editedAtMs !== undefined) {
    attributes.latestEditSenderTimestampMs = editedAtMs;
    attributes.latestEditMsgKey = msgKeyOf(message);
  }
  return {
    ...fields,
    ...idAttributes(fields),
    ...textAttributes(message),
    ...media,
    ...style,
    ...quoteAttributes(message),
    ...attributes,
  };
}

/** The record by which a message was deleted for everyone. */
export function createRevokeRecord(message: WireMessage, revokedId: string, isNewMsg: boolean): RevokeRecord {
  const { revokedBy = message.author ?? message.from, revokedAtMs = 0, author, from } = message;
  const isByAdmin = revokedBy !== (author ?? from);
  const key = msgKeyOf(message);
  return {
    type: 'protocol',
    subtype: isByAdmin ? 'admin_revoke' : 'sender_revoke',
    isNewMsg,
    id: isByAdmin ? new MsgKey({ ...key, fromMe: false, participant: createWid(revokedBy) }) : key,
    from: createWid(from),
    to: createWid(message.to),
    author: author === undefined ? undefined : createWid(revokedBy),
    protocolMessageKey: msgKeyOf({ ...message, id: revokedId }),
    t: Math.floor(revokedAtMs / 1_000),
  };
}

/** Of a message that was deleted for everyone: its former id, who deleted it, and when. */
function revocationAttributes(message: WireMessage, revokedId: string): Partial<MsgAttributes> {
  const { revokedBy, revokedAtMs } = message;
  return {
    protocolMessageKey: msgKeyOf({ ...message, id: revokedId }),
    ...(revokedBy === undefined ? {} : { revokeSender: createWid(revokedBy) }),
    ...(revokedAtMs === undefined ? {} : { revokeTimestamp: Math.floor(revokedAtMs / 1_000) }),
  };
}

/** The ids among the fields of a message: text on the wire, objects in the page. */
function idAttributes({ callCreator, quotedParticipant, parentMsgKey }: WireMessage['fields'] = {}) {
  return {
    ...(typeof callCreator === 'string' ? { callCreator: createWid(callCreator) } : {}),
    ...(typeof quotedParticipant === 'string' ? { quotedParticipant: createWid(quotedParticipant) } : {}),
    ...(typeof parentMsgKey === 'string' ? { parentMsgKey: MsgKey.fromString(parentMsgKey) } : {}),
  };
}

/** A text that this page writes, before it is sent. */
export function ownTextAttributes(id: MsgKey, from: Wid, body: string): Partial<MsgAttributes> {
  return {
    id,
    from,
    to: id.remote,
    body,
    type: 'chat',
    self: 'out',
    ack: 0,
    isNewMsg: true,
    local: true,
    t: Math.floor(Date.now() / 1000),
    mentionedJidList: [],
    star: false,
  };
}

/** A JPEG of one pixel, as the preview of a picture. */
const onePixel =
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////2wBDAf//////////////////////////////////////////////////////////////////////////////////////wAARCAABAAEDASIAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/xAAUAQEAAAAAAAAAAAAAAAAAAAAA/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8AN//Z';

/** The text of a message: in the body, or the caption of its file. A document without a caption shows its name. */
export function textAttributes({ media, body }: Pick<WireMessage, 'media' | 'body'>): Partial<MsgAttributes> {
  if (!media) return { body };
  const caption = body === '' ? media.filename : body;
  const preview = /^(image|video)\//.test(media.mimetype) ? { body: onePixel } : {};
  return caption === undefined ? preview : { ...preview, caption, isCaptionByUser: body !== '' };
}

/** Files whose message has no field for a caption. */
const captionless: readonly string[] = ['audio', 'ptt', 'sticker'];

export function draftOf(chat: string, msg: Msg): WireDraft {
  const values = msg.serialize() as Partial<MsgAttributes>;
  const { id, t = 0, type = 'chat', mentionedJidList = [], isCaptionByUser } = values;
  if (!id) throw new Error('the message has no id');
  if (type === 'poll_creation' && values.messageSecret?.length !== 32)
    throw new Error('a poll needs a secret of 32 bytes');
  const media = mediaOf(values);
  const caption = isCaptionByUser && !captionless.includes(type) ? (values.caption ?? '') : '';
  return {
    id: id.id,
    chat,
    t,
    type,
    body: (media ? caption : values.body) ?? '',
    media,
    mentions: mentionedJidList.length > 0 ? mentionedJidList.map(String) : undefined,
    fields: passed(values),
    quoted: quoteDraft(values),
    style: styleOf(values),
    hasSecret: values.messageSecret?.length === 32 || undefined,
  };
}

function passed(values: Partial<MsgAttributes>): WireDraft['fields'] {
  const known = Object.entries(values).filter(([name]) => passedFields.includes(name as 'loc'));
  return known.length > 0 ? Object.fromEntries(known) : undefined;
}

function mediaOf(values: Partial<MsgAttributes>): WireMedia | undefined {
  if (!values.directPath) return undefined;
  const known = Object.entries(values).filter(([name, value]) => mediaFieldNames.includes(name as 'size') && value);
  const { waveform: _, ...media } = Object.fromEntries(known);
  return media as unknown as WireMedia;
}

function quoteDraft(values: Partial<MsgAttributes>): WireDraft['quoted'] {
  const { quotedMsg, quotedStanzaID, quotedParticipant, quotedRemoteJid } = values;
  if (!quotedMsg || !quotedStanzaID || !quotedParticipant) return undefined;
  const chat = quotedRemoteJid ? { chat: String(quotedRemoteJid) } : {};
  const { type = 'chat', body, caption, directPath } = quotedMsg;
  const text = caption ?? (directPath ? '' : body) ?? '';
  return {
    id: quotedStanzaID,
    author: String(quotedParticipant),
    type,
    body: text,
    fields: passed(quotedMsg),
    ...chat,
  };
}

function styleOf({ backgroundColor, font }: Partial<MsgAttributes>): WireDraft['style'] {
  return backgroundColor === undefined || font === undefined ? undefined : { backgroundColor, font };
}

function quoteAttributes({ quoted }: WireMessage): Partial<MsgAttributes> {
  if (!quoted) return {};
  return {
    quotedMsg: quotedContent(quoted),
    quotedStanzaID: quoted.id,
    quotedParticipant: createWid(quoted.author),
    ...(quoted.chat === undefined ? {} : { quotedRemoteJid: createWid(quoted.chat) }),
  };
}

/** A quoted file has its text in the caption; its body is the thumbnail. */
function quotedContent({ type, body, fields }: WireQuote): Partial<MsgAttributes> {
  const isFile = ['image', 'video', 'ptv', 'audio', 'ptt', 'document', 'sticker'].includes(type);
  return { ...fields, type, ...(isFile ? { body: onePixel, caption: body } : { body }) };
}

const OWN_KEY = /^(true_status@broadcast_[^_]+)_.*$/;

/** In newer builds the account's own statuses always have its LID, whatever the network sends. */
export function ownStatus(message: WireMessage, self: WireSelf | undefined): WireMessage {
  const isOwn = message.chat === 'status@broadcast' && message.fromMe;
  if (!self || !isOwn || switches.statusActions === 'positional') return message;
  return { ...message, from: self.lid, author: self.lid };
}

/** The same for the key of a message. */
export function ownStatusKey(key: string, self: WireSelf | undefined): string {
  if (!self || switches.statusActions === 'positional') return key;
  return key.replace(OWN_KEY, `$1_${self.lid}`);
}

/** The key that one of the account's own messages in a group has under the account's other id. */
export function otherOwnKey(key: string, self: WireSelf | undefined): string {
  const [fromMe, remote, id, author] = key.split('_');
  if (!self || fromMe !== 'true' || (author !== self.pn && author !== self.lid)) return key;
  return `true_${remote}_${id}_${author === self.pn ? self.lid : self.pn}`;
}
