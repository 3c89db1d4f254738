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

const isoTime = v.pipe(v.string(), v.isoTimestamp());
const bytes = v.pipe(v.number(), v.integer());

/** Something that a session cannot do on this build of the page, and why. */
export const degradedCapability = v.object({
  capability: v.pipe(v.string(), v.maxLength(60)),
  reason: v.pipe(v.string(), v.maxLength(1_000)),
});

/** A session as an operator sees it. Times are ISO 8601. */
export const sessionView = v.object({
  id: v.string(),
  status: sessionStatus,
  /** When it came into this status. */
  since: isoTime,
  /** Why, where it is not where it should be. */
  reason: v.optional(v.string()),
  /** How often it was started anew since the gateway started. */
  restarts: v.pipe(v.number(), v.integer()),
  /** When the next attempt is made, while it waits for that. */
  nextAttemptAt: v.optional(isoTime),
  /** When something was last heard from the network: a message or an ack. */
  lastEventAt: v.optional(isoTime),
  /** What its processes take: the proportional share (PSS) of worker and browser, measured twice a minute. */
  memory: v.optional(v.object({ workerBytes: bytes, browserBytes: bytes, processes: bytes })),
  /** What its folder takes on the disk. */
  diskBytes: v.optional(bytes),
  /** The version that its page says it is. */
  pageVersion: v.optional(v.string()),
  /** What does not work on that page; absent before it has been looked at. */
  degraded: v.optional(v.array(degradedCapability)),
});
export type SessionView = v.InferOutput<typeof sessionView>;

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

/** A chat in the list of an account's chats. */
export const chat = v.object({
  id: v.string(),
  name: v.string(),
  lastMessage: v.optional(
    v.object({ body: v.string(), timestamp: v.pipe(v.number(), v.integer()), fromMe: v.boolean() }),
  ),
  unreadCount: v.pipe(v.number(), v.integer()),
});
export type Chat = v.InferOutput<typeof chat>;

/** A group that the account is in. */
export const group = v.object({
  id: v.string(),
  subject: v.string(),
  /** Absent, as `isAdmin`, where the members could not be loaded in time: that is not to say that there are none. */
  participantCount: v.optional(v.pipe(v.number(), v.integer())),
  isAdmin: v.optional(v.boolean()),
});
export type Group = v.InferOutput<typeof group>;

/**
 * A person whom the account knows. `name` is as saved in its address book, `pushname` as the person chose it. `id` is by
 * number, or by hidden id where the number is not known: `number` is empty then.
 */
export const contact = v.object({
  id: v.string(),
  /** The hidden id, `<digits>@lid`. */
  lid: v.optional(v.string()),
  name: v.optional(v.string()),
  pushname: v.optional(v.string()),
  number: v.string(),
  isMyContact: v.boolean(),
  isWAContact: v.boolean(),
  isBusiness: v.boolean(),
  isBlocked: v.boolean(),
});
export type Contact = v.InferOutput<typeof contact>;

/** What became of one participant in a change of a group: 200 done, 403 invite only, 404 unknown, 408 left recently, 409 already in. */
export const participantResult = v.object({
  id: v.string(),
  ok: v.boolean(),
  code: v.pipe(v.number(), v.integer()),
  message: v.optional(v.string()),
});
export type ParticipantResult = v.InferOutput<typeof participantResult>;
