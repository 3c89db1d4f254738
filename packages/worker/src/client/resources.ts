import {
  type AccountLimit,
  accountLimit,
  community,
  cutText,
  degrees,
  LIMITS,
  MESSAGE_TYPES,
  type Message,
  networkId,
  type SessionInfo,
  username,
} from '@chat-web/protocol';
import * as v from 'valibot';
import type { PageLimit } from '../page/models.ts';
import { contentFields, toContents } from './message-contents.ts';
import { orNone } from './schemas.ts';

/** The API's names for the page's types of messages. */
const TYPE_NAMES: ReadonlyMap<string, Message['type']> = new Map([
  ...MESSAGE_TYPES.map((type) => [type, type] as const),
  ['chat', 'text'],
  ['ptt', 'audio'],
  ['ptv', 'video'],
  ['vcard', 'contact'],
  ['multi_vcard', 'contact'],
  ['poll_creation', 'poll'],
]);

const optionalText = v.optional(v.nullable(v.string()));
/** A flag that few messages have. */
const flag = orNone(v.boolean());
/** A user name of the page; undefined for an invalid one. */
export const knownUsername = orNone(username);

/** A message, as the page program returns it: ids by phone number if the page knows it. */
const messageModel = v.object({
  // The sender's software chooses a part of it: what the gateway would refuse must not spoil a list.
  id: networkId,
  fromMe: v.boolean(),
  from: v.string(),
  to: v.string(),
  author: optionalText,
  senderName: orNone(v.string()),
  username: knownUsername,
  quotedMessageId: optionalText,
  quoted: orNone(v.object({ author: optionalText, type: optionalText, body: optionalText })),
  mentionedIds: v.array(v.string()),
  type: v.string(),
  body: optionalText,
  caption: optionalText,
  t: v.number(),
  ack: v.optional(v.nullable(v.number())),
  hasMedia: v.boolean(),
  mimetype: optionalText,
  filename: optionalText,
  isForwarded: v.boolean(),
  isStatus: v.boolean(),
  mentionAll: flag,
  gif: flag,
  viewOnce: flag,
  unavailable: orNone(v.picklist(['view_once', 'not_decrypted'])),
  albumId: orNone(v.string()),
  community: orNone(community),
  location: orNone(v.object({ latitude: degrees(90), longitude: degrees(180) })),
  ...contentFields,
});
type Model = v.InferOutput<typeof messageModel>;

/** For a document without a caption, the page uses its file name. */
function captionOf({ caption, filename }: Pick<Model, 'caption' | 'filename'>) {
  return caption === filename ? '' : caption;
}

/**
 * A message of the API, from the page's model. Throws if the model is invalid. Texts longer than the network's own
 * clients send are cut, so that the message is not lost.
 */
export function toMessage(model: unknown): Message {
  const read = v.parse(messageModel, model);
  const body = cutText(read.body ?? captionOf(read) ?? '', LIMITS.body);
  const contents = toContents(read);
  // Whoever reads an empty message learns that there is more to it.
  const isEmpty = body === '' && !read.hasMedia && !read.location && Object.keys(contents).length === 0;
  const type = toType(read.type);
  // Of its own messages, the account knows what they are, unless they came from its phone.
  const isUnknown = isEmpty && (!read.fromMe || type === 'unknown');
  const unavailable = read.unavailable ?? (isUnknown ? 'not_decrypted' : undefined);
  return {
    id: read.id,
    from: read.from,
    to: read.to,
    ...(isId(read.author) ? { author: read.author } : {}),
    ...(read.senderName ? { senderName: cutText(read.senderName, LIMITS.name) } : {}),
    ...(read.username ? { username: read.username } : {}),
    fromMe: read.fromMe,
    body,
    type,
    timestamp: toTime(read.t),
    ack: toAck(read.ack ?? 0),
    hasMedia: read.hasMedia,
    ...(read.mimetype ? { mimeType: cutText(read.mimetype, LIMITS.mimeType) } : {}),
    ...(read.filename ? { filename: cutText(read.filename, LIMITS.filename) } : {}),
    isForwarded: read.isForwarded,
    isStatus: read.isStatus,
    ...(isId(read.quotedMessageId) ? { quotedMessageId: read.quotedMessageId } : {}),
    ...(read.quoted ? { quoted: toQuoted(read) } : {}),
    mentionedIds: read.mentionedIds.filter(isId).slice(0, LIMITS.mentions),
    ...(read.mentionAll ? { mentionAll: true as const } : {}),
    ...(read.type === 'ptt' ? { voice: true as const } : {}),
    ...(read.type === 'ptv' ? { note: true as const } : {}),
    ...(read.gif ? { gif: true as const } : {}),
    ...(read.viewOnce ? { viewOnce: true as const } : {}),
    ...(unavailable ? { unavailable } : {}),
    ...(isId(read.albumId) ? { albumId: read.albumId } : {}),
    ...(read.community ? { community: read.community } : {}),
    ...(read.location ? { location: read.location } : {}),
    ...contents,
  };
}

/** `toMessage` for lists: returns undefined if the model is invalid, so that the others are still listed. */
export function readableMessage(model: unknown): Message | undefined {
  try {
    return toMessage(model);
  } catch {
    return undefined;
  }
}

/** The API's name for a type of the page. */
function toType(type: string): Message['type'] {
  return TYPE_NAMES.get(type) ?? 'unknown';
}

function toQuoted({ quoted, quotedMessageId }: Model): Message['quoted'] {
  return {
    ...(isId(quotedMessageId) ? { id: quotedMessageId } : {}),
    ...(isId(quoted?.author) ? { author: quoted.author } : {}),
    type: toType(quoted?.type ?? ''),
    body: cutText(quoted?.body ?? '', LIMITS.quotedBody),
  };
}

function isId(id: unknown): id is string {
  return v.is(networkId, id);
}

/** A time of the page in whole Unix seconds, within the range of dates. */
export function toTime(t: number): number {
  return Math.max(0, Math.min(LIMITS.time, Math.floor(t)));
}

/** The same in ISO 8601. */
export function toIsoTime(t: number): string {
  return new Date(toTime(t) * 1_000).toISOString();
}

/** Until when a chat is muted, from the page's Unix seconds: -1 is forever, 0 or a past time is not muted. */
export function toMutedUntil(expiration: number): string | null {
  if (expiration < 0) return 'forever';
  return expiration * 1_000 > Date.now() ? toIsoTime(expiration) : null;
}

/** An ack in the API's range: the page has several failures below 0, and an internal value above 4. */
export function toAck(ack: number): Message['ack'] {
  return Math.max(-1, Math.min(4, Math.trunc(ack))) as Message['ack'];
}

/** A limit of the network on the account; undefined for an invalid one. */
export function toLimit({ kind, untilMs, remaining }: PageLimit): AccountLimit | undefined {
  const end = Number.isFinite(untilMs) ? { until: toIsoTime(Number(untilMs) / 1_000) } : {};
  const count = kind === 'new_chats' ? { remaining: Math.trunc(Number(remaining)) } : {};
  const read = v.safeParse(accountLimit, { kind, ...end, ...count });
  return read.success ? read.output : undefined;
}

const account = v.object({ pushname: optionalText, wid: v.string(), platform: optionalText });

/** The linked account, for the API. A `wid` may contain the device (`<number>:<device>@c.us`). */
export function toSessionInfo(read: unknown): SessionInfo {
  const { pushname, wid, platform } = v.parse(account, read);
  const [, number = '', server = ''] = /^(\d+)(?::\d+)?@(c\.us|lid)$/.exec(wid) ?? [];
  if (!number) throw new Error('the page returned an account with an invalid id');
  return {
    pushname: cutText(pushname ?? '', LIMITS.name),
    wid: `${number}@${server}`,
    phone: server === 'c.us' ? number : '',
    platform: cutText(platform ?? '', 60),
  };
}
