import type { Message, SessionInfo } from '@chat-web/protocol';
import * as v from 'valibot';

/** Names of message types that differ from the API's own; all others pass as they are. */
const TYPE_NAMES: Readonly<Record<string, string>> = { chat: 'text', ptt: 'audio' };

const optionalText = v.optional(v.nullable(v.string()));

/** A message model as the page gives it, with the ids that the page script added. */
const messageModel = v.object({
  chatWeb: v.object({
    id: v.string(),
    from: v.string(),
    to: v.string(),
    author: optionalText,
    quotedMessageId: optionalText,
    mentionedIds: v.array(v.string()),
  }),
  id: v.object({ fromMe: v.boolean() }),
  type: v.string(),
  body: optionalText,
  caption: optionalText,
  t: v.number(),
  ack: v.optional(v.nullable(v.number())),
  directPath: optionalText,
  mimetype: optionalText,
  filename: optionalText,
  isForwarded: v.optional(v.nullable(v.boolean())),
  isStatusV3: v.optional(v.nullable(v.boolean())),
});

/** The page gives a document without a caption its file name for one. */
function captionOf({ caption, filename }: Pick<v.InferOutput<typeof messageModel>, 'caption' | 'filename'>) {
  return caption === filename ? '' : caption;
}

/** A message as the API shows it, from the page's model of it. Throws where the model is not one. */
export function toMessage(model: unknown): Message {
  const { chatWeb: ids, ...raw } = v.parse(messageModel, model);
  const hasMedia = Boolean(raw.directPath);
  return {
    id: ids.id,
    from: ids.from,
    to: ids.to,
    ...(ids.author ? { author: ids.author } : {}),
    fromMe: raw.id.fromMe,
    body: (hasMedia ? captionOf(raw) : raw.body) ?? '',
    type: TYPE_NAMES[raw.type] ?? raw.type,
    timestamp: Math.floor(raw.t),
    ack: toAck(raw.ack ?? 0),
    hasMedia,
    ...(raw.mimetype ? { mimeType: raw.mimetype } : {}),
    ...(raw.filename ? { filename: raw.filename } : {}),
    isForwarded: raw.isForwarded ?? false,
    isStatus: raw.isStatusV3 === true || ids.id.includes('_status@broadcast_'),
    ...(ids.quotedMessageId ? { quotedMessageId: ids.quotedMessageId } : {}),
    mentionedIds: ids.mentionedIds,
  };
}

/** An ack in the API's range: the page has several kinds of failure below 0, and one above 4 that is its own affair. */
export function toAck(ack: number): Message['ack'] {
  return Math.max(-1, Math.min(4, Math.trunc(ack))) as Message['ack'];
}

const account = v.object({ pushname: optionalText, wid: v.string(), platform: optionalText });

/** The linked account as the API shows it. A `wid` may name the device behind the number (`<number>:<device>@c.us`). */
export function toSessionInfo(read: unknown): SessionInfo {
  const { pushname, wid, platform } = v.parse(account, read);
  const [, number = '', server = ''] = /^(\d+)(?::\d+)?@(c\.us|lid)$/.exec(wid) ?? [];
  if (!number) throw new Error('the page names an account whose id is none');
  return {
    pushname: pushname ?? '',
    wid: `${number}@${server}`,
    phone: server === 'c.us' ? number : '',
    platform: platform ?? '',
  };
}
