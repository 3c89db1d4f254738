import * as v from 'valibot';
import { count, LIMITS, listOf, networkId, sentence, unixSeconds, writtenText } from './limits.ts';
import { reason } from './reasons.ts';
import { isoTime } from './times.ts';

export const sessionStatus = v.picklist([
  'starting',
  'qr',
  'authenticating',
  'ready',
  'disconnected',
  'failed',
  'stopped',
  'moved',
]);
export type SessionStatus = v.InferOutput<typeof sessionStatus>;

const bytes = v.pipe(v.number(), v.integer());

/** A capability that does not work on this build of the page, and why. */
export const degradedCapability = v.object({
  capability: v.pipe(v.string(), v.regex(/^[\w.-]{1,60}$/)),
  reason: writtenText(LIMITS.reason),
});

/** Memory of a session's processes: proportional set size (PSS) of worker and browser. */
const sessionMemory = v.object({ workerBytes: bytes, browserBytes: bytes });

/** The memory of a session at one time. */
export const memorySample = v.object({ at: isoTime, ...sessionMemory.entries });
export type MemorySample = v.InferOutput<typeof memorySample>;

/** A limit of WhatsApp on the account, as the web client knows it. */
export const accountLimit = v.object({
  /**
   * `time_lock`: the account cannot write to people who have not written to it. `new_chats`: it can write to `remaining`
   * such people.
   */
  kind: v.picklist(['time_lock', 'new_chats']),
  /** When it ends, or when the count starts again. */
  until: v.optional(isoTime),
  remaining: v.optional(count(LIMITS.time)),
});
export type AccountLimit = v.InferOutput<typeof accountLimit>;

/** True for a limit under which the account cannot write to new people at all. */
export function closesNewChats({ kind, remaining }: AccountLimit): boolean {
  return kind === 'time_lock' || remaining === 0;
}

/** A session with its health. Times are ISO 8601. */
export const sessionView = v.object({
  id: v.string(),
  /** The name of its host, in a cluster. */
  host: v.optional(v.string()),
  status: sessionStatus,
  /** When the status last changed. */
  since: isoTime,
  /** Why it is not ready. */
  reason: v.optional(reason),
  /** The reason as a sentence, with details. */
  message: v.optional(v.string()),
  /** How often it has been restarted since the gateway started. */
  restarts: v.pipe(v.number(), v.integer()),
  /** The time of the next attempt, if it waits for one. */
  nextAttemptAt: v.optional(isoTime),
  /** When a message or an ack last arrived. */
  lastEventAt: v.optional(isoTime),
  /** Measured twice a minute. */
  memory: v.optional(v.object({ ...sessionMemory.entries, processes: bytes })),
  diskBytes: v.optional(bytes),
  pageVersion: v.optional(v.string()),
  /** Whether the elements of the page have test ids, by which its screens are recognised. */
  pageTestIds: v.optional(v.boolean()),
  /** What does not work on the page; absent until the page is checked. */
  degraded: v.optional(v.array(degradedCapability)),
  /** WhatsApp's limits on the account; absent until the page is read, up to 15 s after it is ready. */
  limits: v.optional(v.array(accountLimit)),
  /** What callers have noted on it; absent if nothing. */
  metadata: v.optional(v.record(v.string(), v.string())),
  /** The proxy of its browser, without user and password; absent if it has none. */
  proxy: v.optional(v.object({ url: v.string(), hasCredentials: v.boolean() })),
  /** What the phone shows in its list of linked devices, if it was linked since this was set. */
  deviceName: v.optional(v.string()),
});
export type SessionView = v.InferOutput<typeof sessionView>;

/** The linked account, known once the session is ready. `wid` is `<number>@c.us`, `phone` its digits. */
export const sessionInfo = v.object({
  pushname: writtenText(LIMITS.name),
  wid: v.pipe(v.string(), v.regex(/^\d{1,20}@(c\.us|lid)$/)),
  phone: v.pipe(v.string(), v.regex(/^\d{0,20}$/)),
  platform: writtenText(60),
});
export type SessionInfo = v.InferOutput<typeof sessionInfo>;

/** -1 error, 0 pending, 1 reached the server, 2 delivered, 3 read, 4 played. */
export const ack = v.picklist([-1, 0, 1, 2, 3, 4]);

/** A latitude or longitude. */
export const degrees = (max: number) => v.pipe(v.number(), v.minValue(-max), v.maxValue(max));
const place = v.object({ latitude: degrees(90), longitude: degrees(180) });
/** The options of a poll, and whether people may choose more than one. */
const pollChoice = v.object({ options: listOf(writtenText(LIMITS.name), LIMITS.pollOptions), multiple: v.boolean() });

/** The name by which people without a visible number are found, without `@`. */
export const username = v.pipe(v.string(), v.regex(/^[\w.]{1,35}$/));

/**
 * The types of messages. Those of businesses have the page's names; `unknown` is any that this device cannot read, or
 * does not know.
 */
export const MESSAGE_TYPES = [
  'text',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'sticker-pack',
  'location',
  'contact',
  'poll',
  'poll_result_snapshot',
  'event_creation',
  'groups_v4_invite',
  'newsletter_admin_invite',
  'newsletter_follower_invite',
  'hsm',
  'list',
  'interactive',
  'native_flow',
  'buttons_response',
  'list_response',
  'template_button_reply',
  'interactive_response',
  'order',
  'product',
  'payment',
  'automated_greeting_message',
  'rich_response',
  'quarantined',
  'unknown',
] as const;
/** Also of a stored message of an earlier version, or one of a later version: that must not cost a client the message. */
const messageType = v.fallback(v.picklist(MESSAGE_TYPES), 'unknown');

/** A quoted message: its id and author as far as they are known, and the beginning of its text. */
const quoted = v.object({
  id: v.optional(networkId),
  author: v.optional(networkId),
  type: messageType,
  body: writtenText(LIMITS.quotedBody),
});

/** The community that a group is in, and what it is there: `parent` is the community itself, which has no chat. */
export const community = v.object({ id: networkId, role: v.picklist(['parent', 'announcements', 'group']) });

/** A contact card. The numbers begin with a plus if they have a country code. */
const contactCard = v.object({
  name: writtenText(LIMITS.name),
  numbers: listOf(v.pipe(v.string(), v.regex(/^\+?\d{1,30}$/)), LIMITS.numbersOfCard),
});

/** Of an advertisement on Facebook or Instagram, or another link, that opens a chat: what is known of it. */
const referral = v.object({
  url: v.optional(v.pipe(v.string(), v.maxLength(LIMITS.url), v.regex(/^https?:\/\//))),
  id: v.optional(writtenText(LIMITS.name)),
  /** Such as `ad`. */
  type: v.optional(writtenText(LIMITS.name)),
  title: v.optional(writtenText(LIMITS.name)),
  clickId: v.optional(writtenText(LIMITS.name)),
});

/** The button, or the row of a list, that a person has chosen: the id is that of its author. */
const selected = v.object({ id: v.optional(writtenText(LIMITS.name)), text: writtenText(LIMITS.name) });

/** A message, as returned by a send and carried by the `message` event. `timestamp` is in Unix seconds. */
export const message = v.object({
  id: networkId,
  from: networkId,
  to: networkId,
  author: v.optional(networkId),
  /** The name that the person who wrote it chose; absent on messages of the account itself. */
  senderName: v.optional(writtenText(LIMITS.name)),
  /** The user name of the person who wrote it, if the page knows one. */
  username: v.optional(username),
  fromMe: v.boolean(),
  body: writtenText(LIMITS.body),
  type: messageType,
  timestamp: v.pipe(unixSeconds, v.integer()),
  ack,
  hasMedia: v.boolean(),
  mimeType: v.optional(writtenText(LIMITS.mimeType)),
  filename: v.optional(writtenText(LIMITS.filename)),
  isForwarded: v.boolean(),
  isStatus: v.boolean(),
  quotedMessageId: v.optional(networkId),
  /** What came with the reply of the message that it quotes, even if this device does not have that. */
  quoted: v.optional(quoted),
  mentionedIds: listOf(networkId, LIMITS.mentions),
  /** It mentions everyone in the group. */
  mentionAll: v.optional(v.literal(true)),
  /** Voice note, round video note, GIF (a video), and view-once media. */
  voice: v.optional(v.literal(true)),
  note: v.optional(v.literal(true)),
  gif: v.optional(v.literal(true)),
  viewOnce: v.optional(v.literal(true)),
  /**
   * This device cannot show it: it is view-once media, which only phones open, or was not decrypted. The body is empty.
   * If its content comes later, it is another message with the same id.
   */
  unavailable: v.optional(v.picklist(['view_once', 'not_decrypted'])),
  /** The id of the album that it is a part of. */
  albumId: v.optional(networkId),
  /** In a group of a community. */
  community: v.optional(community),
  /** For a location: the body has its name and address, each on its own line. */
  location: v.optional(place),
  /** For contact cards: the body has them as they were sent. */
  contacts: v.optional(listOf(contactCard, LIMITS.contactCards)),
  /** The person came from an advertisement. */
  referral: v.optional(referral),
  /** The answer to a message with buttons or a list. */
  selected: v.optional(selected),
  /** For a poll: the body is its question. */
  poll: v.optional(pollChoice),
});
export type Message = v.InferOutput<typeof message>;

/** The longest QR has 177 modules a side: some 10 KB as a PNG. */
const MAX_QR_LENGTH = 131_072;

/** A PNG as a data URL: the form of a QR. Event streams carry it unescaped, hence the narrow alphabet. */
export const pngDataUrl = v.pipe(
  v.string(),
  v.maxLength(MAX_QR_LENGTH),
  // The first bytes of every PNG.
  v.regex(/^data:image\/png;base64,iVBORw0KGgo[A-Za-z0-9+/]*={0,2}$/),
);

/** A code that the owner of a number types into the phone to link the session. Valid until `expiresAt`. */
export const pairingCode = v.object({
  code: v.pipe(v.string(), v.regex(/^[0-9A-Z]{6,12}$/)),
  expiresAt: v.pipe(v.string(), v.maxLength(30), v.isoTimestamp()),
});
export type PairingCode = Readonly<v.InferOutput<typeof pairingCode>>;

export const chat = v.object({
  id: networkId,
  name: writtenText(LIMITS.name),
  community: v.optional(community),
  lastMessage: v.optional(
    v.object({ body: writtenText(LIMITS.body), timestamp: v.pipe(unixSeconds, v.integer()), fromMe: v.boolean() }),
  ),
  unreadCount: count(LIMITS.time),
  /** Absent, like the next two, if the page does not report it. */
  archived: v.optional(v.boolean()),
  pinned: v.optional(v.boolean()),
  /** Null for a chat that is not muted. */
  mutedUntil: v.optional(v.nullable(v.union([v.literal('forever'), isoTime]))),
});
export type Chat = v.InferOutput<typeof chat>;

export const label = v.object({
  id: networkId,
  name: writtenText(LIMITS.name),
  /** One of the network's colours, by its number. */
  colorIndex: v.optional(count(LIMITS.time)),
});
export type Label = v.InferOutput<typeof label>;

export const group = v.object({
  id: networkId,
  subject: writtenText(LIMITS.name),
  /** Absent, like `isAdmin`, if the members could not be loaded in time. Absent does not mean none. */
  participantCount: v.optional(count(LIMITS.time)),
  isAdmin: v.optional(v.boolean()),
  community: v.optional(community),
});
export type Group = v.InferOutput<typeof group>;

/**
 * A person whom the account knows. `name` is as saved in its address book, `pushname` as the person chose it. `id` is
 * by number, or by hidden id if the number is unknown: then `number` is empty.
 */
export const contact = v.object({
  id: networkId,
  /** The hidden id, `<digits>@lid`. */
  lid: v.optional(networkId),
  name: v.optional(writtenText(LIMITS.name)),
  pushname: v.optional(writtenText(LIMITS.name)),
  username: v.optional(username),
  number: v.pipe(v.string(), v.regex(/^\d{0,20}$/)),
  isMyContact: v.boolean(),
  isWAContact: v.boolean(),
  isBusiness: v.boolean(),
  isBlocked: v.boolean(),
});
export type Contact = v.InferOutput<typeof contact>;

const PARTICIPANT_CODES = `\
200: done. 402: an admin removed the person before. 403: may only be invited, or may not be changed by this account. \
404: not registered, not in the group, or no request to join. 405: the account itself, which can only leave. \
406: created the group. 408: left recently. 409: already in the group. 419: the community is full. \
421: an admin has to approve it. 429: rate limited. 500: refused, or the group is full. \
503: not tried, because the time limit was reached, or the network did not identify the person. \
504: not confirmed, check the group. \
400 and others: refused by the network`;

/** The result for one participant in a change of a group. */
export const participantResult = v.object({
  id: networkId,
  ok: v.boolean(),
  code: v.pipe(count(9_999), v.description(PARTICIPANT_CODES)),
  message: v.optional(sentence),
  /** For a person who can only be invited: the network's code for an invitation of this person. */
  inviteCode: v.optional(v.pipe(v.string(), v.regex(/^[\w+/=-]{1,100}$/))),
});
export type ParticipantResult = v.InferOutput<typeof participantResult>;

/** A channel. `role` is that of the account; a guest does not follow it. */
export const channel = v.object({
  id: v.pipe(v.string(), v.regex(/^\d{5,30}@newsletter$/)),
  name: writtenText(LIMITS.name),
  description: v.optional(writtenText(LIMITS.body)),
  role: v.picklist(['owner', 'admin', 'subscriber', 'guest']),
  followers: v.optional(count(LIMITS.time)),
  /** From its link, `https://whatsapp.com/channel/<code>`. */
  inviteCode: v.optional(v.pipe(v.string(), v.regex(/^[\w-]{1,60}$/))),
  isVerified: v.boolean(),
});
export type Channel = v.InferOutput<typeof channel>;

/** The most statuses listed per person: the newest. */
export const MAX_STATUSES_PER_PERSON = 100;

/** The statuses of one person, oldest first. */
export const personStatuses = v.object({
  from: networkId,
  statuses: listOf(v.object({ ...message.entries, seen: v.boolean() }), MAX_STATUSES_PER_PERSON),
});

/** The account itself. `about` is absent if the network does not report it, and empty if there is none. */
export const profile = v.object({
  /** By number, or by hidden id if the page does not know the number. */
  id: networkId,
  /** The hidden id, `<digits>@lid`. */
  lid: v.optional(networkId),
  /** The name that others see. */
  name: writtenText(LIMITS.name),
  about: v.optional(v.pipe(writtenText(LIMITS.name), v.description('Absent: unknown. Empty: the account has none'))),
  isBusiness: v.boolean(),
});

/** Whether the account is shown as online. */
export const presence = v.picklist(['available', 'unavailable'], 'must be available or unavailable');

/** Who sees something of the account, or may do something to it. `contact_blacklist`: contacts, with exceptions. */
const audience = v.optional(v.picklist(['all', 'contacts', 'contact_blacklist', 'none']));

/** Privacy settings of the account; a setting that the page does not know is absent. */
export const privacy = v.object({
  lastSeen: audience,
  /** `match_last_seen`: the same people as `lastSeen`. */
  online: v.optional(v.picklist(['all', 'match_last_seen'])),
  profilePicture: audience,
  about: audience,
  readReceipts: v.optional(v.picklist(['all', 'none'])),
  /** Who may add the account to groups. */
  groups: audience,
  /** Whose calls ring: `known` leaves out unknown numbers. */
  calls: v.optional(
    v.pipe(v.picklist(['all', 'known', 'contacts']), v.description('`contacts` can be returned, but not set here')),
  ),
});
export type Privacy = v.InferOutput<typeof privacy>;
/** The days of a business week, as the network names them. */
const weekday = v.picklist(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']);
const timeOfDay = v.pipe(v.string(), v.regex(/^([01]\d|2[0-4]):[0-5]\d$/));
const shortText = writtenText(LIMITS.name);

export const businessProfile = v.object({
  contactId: networkId,
  /** False for a person: then there are no other fields. */
  isBusiness: v.boolean(),
  description: v.optional(shortText),
  address: v.optional(shortText),
  email: v.optional(shortText),
  websites: listOf(shortText, 20),
  categories: listOf(shortText, 50),
  hours: v.optional(
    v.object({
      timezone: v.optional(shortText),
      days: listOf(
        v.object({
          day: weekday,
          mode: v.picklist(['open_24h', 'specific_hours', 'appointment_only']),
          /** `hh:mm`, with specific hours. */
          periods: listOf(v.object({ opensAt: timeOfDay, closesAt: timeOfDay }), 20),
        }),
        7,
      ),
    }),
  ),
});
export type BusinessProfile = v.InferOutput<typeof businessProfile>;
