import * as v from 'valibot';

/** Where a session stands. */
export const sessionStatus = v.picklist([
  'starting',
  'qr',
  'authenticating',
  'ready',
  'disconnected',
  'failed',
  'stopped',
]);
export type SessionStatus = v.InferOutput<typeof sessionStatus>;

/** The linked account, known once the session is ready. `wid` is `<number>@c.us`, `phone` its digits. */
export const sessionInfo = v.object({
  pushname: v.string(),
  wid: v.pipe(v.string(), v.regex(/^\d+@(c\.us|lid)$/)),
  phone: v.string(),
  platform: v.string(),
});
export type SessionInfo = v.InferOutput<typeof sessionInfo>;

/** -1 error, 0 pending, 1 reached the server, 2 delivered, 3 read, 4 played. */
export const ack = v.picklist([-1, 0, 1, 2, 3, 4]);

/** A message, as a send answers it and as the `message` event carries it. `timestamp` is in Unix seconds. */
export const message = v.object({
  id: v.string(),
  from: v.string(),
  to: v.string(),
  author: v.optional(v.string()),
  fromMe: v.boolean(),
  body: v.string(),
  type: v.string(),
  timestamp: v.pipe(v.number(), v.integer()),
  ack,
  hasMedia: v.boolean(),
  mimeType: v.optional(v.string()),
  filename: v.optional(v.string()),
  isForwarded: v.boolean(),
  isStatus: v.boolean(),
  quotedMessageId: v.optional(v.string()),
  mentionedIds: v.array(v.string()),
});
export type Message = v.InferOutput<typeof message>;

/** A PNG as a data URL: how a QR travels. */
export const pngDataUrl = v.pipe(v.string(), v.startsWith('data:image/png;base64,'));
