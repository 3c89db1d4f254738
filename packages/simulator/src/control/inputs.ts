import * as v from 'valibot';
import { socketStates } from '../page/wire.ts';

const number = v.pipe(v.string(), v.regex(/^[1-9]\d{4,14}$/, 'must be digits with the country code, without a plus'));
const person = v.pipe(
  v.string(),
  v.regex(
    /^([1-9]\d{4,14}(@c\.us)?|\d{5,20}@(lid|bot))$/,
    'must be a number without a plus, <number>@c.us, <digits>@lid or @bot',
  ),
);
const group = v.pipe(v.string(), v.regex(/^\d{5,20}@g\.us$/, 'must be <digits>@g.us'));
const newsletter = v.pipe(v.string(), v.regex(/^\d{18}@newsletter$/, 'must be <18 digits>@newsletter'));
const people = v.array(person);
const delayMs = v.pipe(v.number(), v.integer(), v.minValue(0));
const amount = v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(10_000)));
const text = v.pipe(v.string(), v.nonEmpty('must not be empty'));
const username = v.pipe(
  v.string(),
  v.regex(/^[a-z0-9._]{3,35}$/, 'must be 3 to 35 letters, digits, dots, underscores'),
);
const addressing = v.picklist(['pn', 'lid']);
const platform = v.picklist(['android', 'iphone']);
const mediaKind = v.picklist(['image', 'video', 'note', 'audio', 'voice', 'document', 'sticker']);
const viewMode = v.picklist(['HIDDEN', 'SCHEDULED_MESSAGE', 'MEDIA_ALBUM']);
const picture = v.picklist(['none', 'private', 'present']);
const pictureCode = v.picklist([401, 404, 423, 429, 500]);
const groupPrivacy = v.picklist(['all', 'invite_only']);
const passkeyHandoff = v.picklist(['automatic', 'shown', 'held']);
const olderMessagesAnswer = v.picklist(['shared', 'not_shared', 'ended']);
const codeRefusal = v.picklist([400, 403, 429, 452, 500]);
const base64Text = v.pipe(v.string(), v.regex(/^[\w+/-]+={0,2}$/, 'must be base64, plain or URL-safe'));
const noticeKind = v.picklist([
  'call_log',
  'e2e_notification',
  'notification_template',
  'newsletter',
  'membership_approval_request',
]);

/** In the network's terms: hours in minutes since midnight, by day. */
const businessProfile = v.strictObject({
  description: v.optional(v.string()),
  address: v.optional(v.string()),
  email: v.optional(v.string()),
  websites: v.optional(v.array(v.string()), []),
  categories: v.optional(v.array(v.string()), []),
  timezone: v.optional(v.string()),
  days: v.optional(v.record(v.string(), v.array(v.tuple([v.number(), v.number()])))),
});

const media = v.strictObject({
  kind: mediaKind,
  /** The bytes. */
  base64: v.pipe(v.string(), v.check(isBase64, 'must be base64')),
  mimeType: text,
  filename: v.optional(v.string()),
});

/** Angles in degrees. */
const location = v.strictObject({
  latitude: v.number(),
  longitude: v.number(),
  name: v.optional(text),
  address: v.optional(text),
});
const contactCard = v.strictObject({ name: text, vcard: text });
const poll = v.strictObject({
  question: text,
  options: v.array(text),
  /** More than one may be chosen. */
  multiple: v.boolean(),
});

/** The fields of the control API's calls besides the parameters in their path, and how they are validated. */
export const inputs = {
  account: v.strictObject({
    /** Digits with the country code, without a plus. */
    number,
    /** The name that the person chose. */
    name: text,
    /** Digits of the hidden number, random by default; or the id of a bot, `<digits>@bot`. */
    lid: v.optional(v.pipe(v.string(), v.regex(/^\d{5,20}(@bot)?$/, 'must be digits, or <digits>@bot'))),
    /** Default `android`. */
    platform: v.optional(platform),
    /** Default `pn`. */
    addressing: v.optional(addressing),
    /** Pages never get the number: they have only the LID. The control API still identifies the person by number. */
    hiddenNumber: v.optional(v.boolean()),
    /** The name by which others find it. */
    username: v.optional(username),
    /** Other forms of the number: look-ups of them find the account, messages to them do not reach it. */
    otherNumbers: v.optional(v.array(number)),
  }),
  scan: v.strictObject({ qr: text }),
  pair: v.strictObject({ code: text }),
  message: v.pipe(
    v.strictObject({
      /** Its stanza id, as the sender's software chooses it; random by default. Refused if another message has it. */
      id: v.optional(v.pipe(v.string(), v.regex(/^\P{Cc}{1,1000}$/u, 'must be 1 to 1000 printable characters'))),
      /** A number, `<number>@c.us`, a group of the account, or `status@broadcast`. */
      to: v.union([person, group, v.literal('status@broadcast')], 'must be a number, a group or status@broadcast'),
      /** The text, or the caption; required without media. */
      body: v.optional(v.string()),
      media: v.optional(media),
      /** These three instead of a text. */
      location: v.optional(location),
      contacts: v.optional(v.array(contactCard)),
      poll: v.optional(poll),
      /** A stanza id, or a page's message id. */
      quotedMessageId: v.optional(text),
      /** Numbers, or `<number>@c.us`. */
      mentions: v.optional(people),
      /** How pages show it: as an ordinary message by default; hidden ones are not shown. */
      viewMode: v.optional(viewMode),
      /** The page's name for a message of another type, such as `list_response`. */
      type: v.optional(v.pipe(v.string(), v.regex(/^[\w-]{1,60}$/, 'must be a type of the page'))),
      /** Further fields that the message has in pages. */
      fields: v.optional(v.record(v.string(), v.unknown())),
      /** How long after arrival the receiving pages can decrypt it. */
      decryptLateMs: v.optional(delayMs),
      /** Pages, also those of the sender, cannot decrypt it before `decrypt`; `subtype` is the page's reason. */
      undecrypted: v.optional(v.strictObject({ subtype: v.optional(text) })),
    }),
    v.forward(
      v.check(
        ({ body, media, location, contacts, poll, type, undecrypted }) =>
          [body, media, location, contacts, poll, type, undecrypted].some((part) => part !== undefined),
        'is required without media',
      ),
      ['body'],
    ),
  ),
  phoneFilter: v.strictObject({
    /** A part of the name or of the number. */
    search: v.optional(v.string()),
  }),
  messageFilter: v.strictObject({
    /** A person or a group. */
    with: v.optional(text),
    /** How many of the newest; default all. As text in a query. */
    limit: v.optional(
      v.pipe(v.union([v.number(), v.string()]), v.transform(Number), v.integer('must be a number'), v.minValue(1)),
    ),
  }),
  reaction: v.strictObject({ messageId: text, emoji: v.string() }),
  vote: v.strictObject({
    messageId: text,
    options: v.array(text),
    /** Its key refers to the poll by the person's other id: by hidden id instead of number, or the reverse. */
    byOtherId: v.optional(v.boolean()),
  }),
  edit: v.strictObject({ body: text }),
  age: v.strictObject({ ms: v.pipe(v.number(), v.integer()) }),
  group: v.strictObject({
    /** `<18 digits>@g.us`; random by default. */
    id: v.optional(group),
    subject: text,
    /** Numbers, or `<number>@c.us`. */
    participants: people,
    /** The last part of the link of its invite; random by default. */
    inviteCode: v.optional(text),
    /** The network answers changes of settings with success, and makes none. */
    ignoresSettings: v.optional(v.boolean()),
    /** A community; or a group of one, or the group for its announcements. */
    community: v.optional(
      v.variant('role', [
        v.strictObject({ role: v.literal('parent') }),
        v.strictObject({ role: v.picklist(['announcements', 'group']), id: group }),
      ]),
    ),
  }),
  invite: v.strictObject({ code: text }),
  channel: v.strictObject({
    /** `<18 digits>@newsletter`; random by default. */
    id: v.optional(newsletter),
    name: text,
    description: v.optional(v.string()),
  }),
  groupUpdate: v.strictObject({
    subject: v.optional(text),
    description: v.optional(v.string()),
    settings: v.optional(
      v.strictObject({
        announce: v.optional(v.boolean()),
        restrict: v.optional(v.boolean()),
        adminsAdd: v.optional(v.boolean()),
        approveJoins: v.optional(v.boolean()),
      }),
    ),
    add: v.optional(people),
    remove: v.optional(people),
    promote: v.optional(people),
    demote: v.optional(people),
    /** People who wait for approval. */
    approve: v.optional(people),
    reject: v.optional(people),
    renewInvite: v.optional(v.boolean()),
    /** A JPEG in base64; null removes it. */
    picture: v.optional(v.nullable(text)),
    leave: v.optional(v.boolean()),
  }),
  profile: v.strictObject({
    picture: v.optional(picture),
    /** How long the network takes to answer a request for the picture. */
    pictureDelayMs: v.optional(delayMs),
    /** The network's answer to every request for the picture; null for the real one. */
    pictureCode: v.optional(v.nullable(pictureCode)),
    groupPrivacy: v.optional(groupPrivacy),
    business: v.optional(v.boolean()),
    businessProfile: v.optional(businessProfile),
    /** Empty for an account without one. */
    name: v.optional(v.string()),
    about: v.optional(v.string()),
    /** The about text is hidden from everyone. */
    hidesAbout: v.optional(v.boolean()),
    /** The name by which others find it, and the PIN that they need. */
    username: v.optional(username),
    usernamePin: v.optional(v.pipe(v.string(), v.regex(/^\d{4}$/))),
    /** After how many seconds its messages in new chats disappear; 0 for never. */
    messageTimer: v.optional(delayMs),
    /** Where its phone lets linked devices save contacts. */
    contactChanges: v.optional(v.picklist(['phone', 'app', 'none'])),
  }),
  contacts: v.strictObject({
    save: v.optional(v.array(v.strictObject({ number: person, name: text }))),
    forget: v.optional(people),
    block: v.optional(people),
    unblock: v.optional(people),
  }),
  populate: v.strictObject({ chats: amount, contacts: amount, groups: amount }),
  read: v.strictObject({ from: v.union([person, group], 'must be a number or a group') }),
  marks: v.strictObject({
    chat: v.union([person, group], 'must be a number or a group'),
    unread: v.optional(v.boolean()),
    archived: v.optional(v.boolean()),
    pinned: v.optional(v.boolean()),
    /** Unix seconds; 0 to unmute, -1 for forever. */
    mutedUntil: v.optional(v.pipe(v.number(), v.integer(), v.minValue(-1))),
    /** After how many seconds new messages disappear; 0 for never. */
    messageTimer: v.optional(delayMs),
  }),
  online: v.strictObject({ online: v.boolean() }),
  logout: v.strictObject({
    deviceId: v.optional(text),
    times: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100))),
  }),
  fault: v.strictObject({ kind: v.picklist(['none', 'document', 'image', 'state', 'sync']) }),
  restricted: v.strictObject({ restricted: v.boolean() }),
  refusal: v.variant('kind', [
    v.strictObject({ kind: v.literal('none') }),
    v.strictObject({
      kind: v.picklist(['network', 'nack']),
      code: v.optional(v.pipe(v.number(), v.integer(), v.minValue(400), v.maxValue(599))),
    }),
  ]),
  requestRefusal: v.strictObject({
    /** Names of requests, such as `set-about`. */
    requests: v.array(text),
    /** Null for none. */
    code: v.nullable(v.pipe(v.number(), v.integer(), v.minValue(400), v.maxValue(599))),
  }),
  limits: v.strictObject({
    /** Unix ms; null to lift the lock. */
    timeLockedUntil: v.optional(v.nullable(delayMs), null),
    /** `until` in Unix seconds; null for no limit. */
    newChats: v.optional(v.nullable(v.strictObject({ total: delayMs, used: delayMs, until: delayMs })), null),
  }),
  labels: v.strictObject({ labels: v.array(v.strictObject({ id: text, name: text, colorIndex: delayMs })) }),
  passkey: v.strictObject({ required: v.boolean() }),
  passkeyRegistration: v.strictObject({
    /** The id that the authenticator gave it. */
    credentialId: base64Text,
    /** SPKI, DER, of a key for ES256. */
    publicKey: base64Text,
    /** Of its last signature; default 0. */
    signCount: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2 ** 32 - 1))),
  }),
  passkeyHandoff: v.strictObject({ handoff: passkeyHandoff }),
  codeRefusal: v.strictObject({ code: v.nullable(codeRefusal) }),
  notice: v.strictObject({
    kind: noticeKind,
    /** A number, `<number>@c.us` or a group; for a channel `<18 digits>@newsletter`. */
    from: v.union([person, group, newsletter], 'must be a number, a group or a channel'),
    /** The person who requests to join the group. */
    by: v.optional(person),
    /** Default: true, except for an entry of the call log, as in the real page. */
    isNewMsg: v.optional(v.boolean()),
  }),
  olderMessages: v.strictObject({
    /** A person or a group. */
    with: text,
    count: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1_000)),
  }),
  olderMessagesAnswer: v.strictObject({ answer: olderMessagesAnswer }),
  app: v.strictObject({ open: v.boolean() }),
  /** `to` is a person or a group. */
  state: v.strictObject({ to: text, state: v.picklist(['typing', 'recording', 'paused']) }),
  call: v.strictObject({
    to: person,
    video: v.optional(v.boolean()),
    /** Random by default. */
    id: v.optional(text),
  }),
  callEnd: v.strictObject({
    to: person,
    id: text,
    video: v.optional(v.boolean()),
    outcome: v.picklist(['Completed', 'Missed', 'Rejected', 'Canceled', 'AcceptedElsewhere', 'Failed']),
  }),
  stall: v.strictObject({ stalled: v.boolean() }),
  disturb: v.variant('kind', [
    v.strictObject({
      kind: v.picklist(['reload', 'pushState', 'iframe', 'sync', 'deaf', 'broken', 'conflict', 'idle']),
    }),
    v.strictObject({ kind: v.literal('block'), ms: delayMs }),
    v.strictObject({ kind: v.literal('leak'), mbPerSecond: v.pipe(v.number(), v.gtValue(0), v.maxValue(1000)) }),
    v.strictObject({ kind: v.literal('state'), state: v.picklist(socketStates) }),
    v.strictObject({ kind: v.literal('write'), value: v.string() }),
    v.strictObject({ kind: v.literal('grow'), mb: v.pipe(v.number(), v.gtValue(0), v.maxValue(4000)) }),
    v.strictObject({
      kind: v.literal('dialog'),
      which: v.picklist(['log-out', 'refresh', 'stuck', 'titled']),
      title: v.optional(v.string()),
      buttons: v.optional(v.array(v.string())),
      logOut: v.optional(v.string()),
      unlinkAfterMs: v.optional(delayMs),
    }),
  ]),
};

/** The same shape for a caller, who may also pass readonly values. */
export type Immutable<T> = T extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: Immutable<T[K]> }
    : T;

type Input<S extends v.GenericSchema> = Immutable<v.InferInput<S>>;

/** How chats with an account are addressed: by number, or by its hidden number. */
export type Addressing = v.InferOutput<typeof addressing>;

export type Platform = v.InferOutput<typeof platform>;

/** Whether an account has a picture, and whether others may see it. */
export type Picture = v.InferOutput<typeof picture>;

/** A code with which the network refuses a picture: private, none, locked, too many requests, or internal error. */
export type PictureCode = v.InferOutput<typeof pictureCode>;

/** Who may add an account to a group; others can only invite it. */
export type GroupPrivacy = v.InferOutput<typeof groupPrivacy>;

/** How a message with a file is shown. */
export type MediaKind = v.InferOutput<typeof mediaKind>;

/** Messages in an account's pages that no person has written. */
export type NoticeKind = v.InferOutput<typeof noticeKind>;

export type AccountSeed = Input<typeof inputs.account>;

export type OutgoingMedia = Input<typeof media>;
export type Place = Input<typeof location>;
export type ContactCard = Input<typeof contactCard>;
export type Poll = Input<typeof poll>;

export type OutgoingMessage = Input<typeof inputs.message>;

export type GroupDraft = Input<typeof inputs.group>;

/** What a member changes in a group, in this order. People as numbers or `<number>@c.us`. */
export type GroupUpdate = Input<typeof inputs.groupUpdate>;

export type ProfileChange = Input<typeof inputs.profile>;

export type ContactsChange = Input<typeof inputs.contacts>;

export type ChatMarks = Input<typeof inputs.marks>;

export type PopulateAmounts = Input<typeof inputs.populate>;

/**
 * How messages from an account's pages are refused: `network` with a status (ERROR_NETWORK, ack 0), `nack` by the
 * server after it got them (ERROR_UNKNOWN with the code, ack -1).
 */
export type Refusal = Input<typeof inputs.refusal>;

/** Which requests of an account's pages are refused, and with which code; null ends that. */
export type RequestRefusal = Input<typeof inputs.requestRefusal>;

/** What a phone sends to the network about a passkey that it has created. */
export type PasskeyRegistration = Input<typeof inputs.passkeyRegistration>;

/**
 * What follows a passkey: the phone continues automatically and no codes are compared; or the page shows the code and waits
 * for its user; or it waits for the phone before that.
 */
export type PasskeyHandoff = v.InferOutput<typeof passkeyHandoff>;

/** How a phone answers a device's request for older messages; `not_shared` may be changed by its owner. */
export type OlderMessagesAnswer = v.InferOutput<typeof olderMessagesAnswer>;

/** A status with which the network refuses pairing codes. */
export type CodeRefusal = v.InferOutput<typeof codeRefusal>;

export type CallDraft = Input<typeof inputs.call>;
export type CallEnd = Input<typeof inputs.callEnd>;

export type NoticeDraft = Input<typeof inputs.notice>;

/** Avoids a regular expression over the whole text: it may be 90 MB. */
function isBase64(base64: string): boolean {
  const bytes = Buffer.from(base64, 'base64').length;
  return base64.length > 0 && base64.length % 4 === 0 && Buffer.byteLength(base64, 'base64') === bytes;
}
