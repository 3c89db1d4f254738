import * as v from 'valibot';
import { accountEvent } from './account-events.ts';
import { errorCode, fieldIssue } from './errors.ts';
import { count, LIMITS, listOf, networkId, PAGE_VERSION, sentence, unixSeconds } from './limits.ts';
import { workerFailure } from './reasons.ts';
import { accountLimit, ack, degradedCapability, message, pairingCode, pngDataUrl, sessionInfo } from './resources.ts';

export const HEARTBEAT_INTERVAL_MS = 5_000;

const pinnedPage = v.object({
  version: v.string(),
  html: v.string(),
  headers: v.record(v.string(), v.string()),
});
export type PinnedPage = Readonly<v.InferOutput<typeof pinnedPage>>;

/** A message of the account whose ack may still increase, and its last ack. */
const openAck = v.object({ id: networkId, ack });
export type OpenAck = Readonly<v.InferOutput<typeof openAck>>;

/** The options of a worker; it reads no settings of its own. */
const workerOptions = v.object({
  sessionId: v.string(),
  /** The session's folder, with the browser's profile. */
  sessionDir: v.string(),
  /** The browser's executable; absent: the worker looks for one. */
  browserPath: v.optional(v.string()),
  /** Use Chromium's headless shell. */
  headlessShell: v.boolean(),
  /** Show its window, for the owner of the account. */
  browserWindow: v.boolean(),
  browserArgs: v.array(v.string()),
  /** For all connections of the browser. `url`: scheme, host and port; `address`: the checked address of the host. */
  proxy: v.optional(
    v.object({
      url: v.string(),
      address: v.string(),
      username: v.optional(v.string()),
      password: v.optional(v.string()),
    }),
  ),
  /** The name of the device that the page registers when it is linked. */
  deviceName: v.optional(v.string()),
  /** The folder of the uploads that calls name. */
  uploadsDir: v.string(),
  /** The folder for the session's own files. */
  spoolDir: v.string(),
  /** The quota of that folder. */
  spoolMaxBytes: v.number(),
  /**
   * Inbound messages from this time on, in Unix seconds, may not have been delivered: the worker delivers them once the
   * session is ready.
   */
  deliveredUntil: v.number(),
  /** Messages that were delivered without their content: the worker delivers what has come of it. */
  withoutContent: v.array(networkId),
  /** The worker reports those that have increased once the session is ready. */
  openAcks: v.array(openAck),
  /** The folder of saved documents of the page, shared by all sessions. */
  pagesDir: v.string(),
  /** The document to load instead of the newest one. */
  pinnedPage: v.optional(pinnedPage),
  /** When the account was linked, in Unix seconds; 0 if it is not linked yet. */
  linkedAt: v.number(),
  /** A run in the last day ended because its sends were not confirmed: another restart would not help. */
  wasMute: v.boolean(),
  /** After this long without traffic the connection to the network is checked. Milliseconds. */
  silenceTimeoutMs: v.number(),
  /**
   * After this long without any message of the gateway, the worker ends its browser: another host may continue with the
   * session. Milliseconds; absent: it only ends when its gateway does.
   */
  gatewayTimeoutMs: v.optional(v.number()),
  fetchLimits: v.object({
    allowedHosts: v.array(v.string()),
    maxBytes: v.number(),
    timeoutMs: v.number(),
    userAgent: v.string(),
  }),
});
export type WorkerOptions = v.InferOutput<typeof workerOptions>;

/** Messages may arrive out of order; a catch-up looks back by this much, in seconds. */
export const OVERLAP_SECONDS = 120;

/** How many ids of delivered messages are remembered: more than an account receives within the overlap. */
export const MAX_DELIVERED_IDS = 10_000;

/** How many messages whose content may still come are remembered: the newest. */
export const MAX_WITHOUT_CONTENT = 200;

/** A send whose message can be found again by its id. */
const sendAttempt = v.object({
  /** The id that the message will have, without its chat. */
  messageId: v.pipe(v.string(), v.regex(/^[0-9A-F]{8,64}$/)),
  /** It may have been sent before with this id: the worker looks for it first. */
  isRepeat: v.boolean(),
});
export type SendAttempt = Readonly<v.InferOutput<typeof sendAttempt>>;

/** From the gateway to a worker. `start` is the first, unless the worker must stop at once. */
export const gatewayMessage = v.variant('type', [
  v.object({ type: v.literal('start'), options: workerOptions }),
  v.object({
    type: v.literal('call'),
    callId: v.number(),
    operation: v.string(),
    input: v.unknown(),
    attempt: v.optional(sendAttempt),
  }),
  /** Inbound messages since this time, in Unix seconds, could not be stored: the worker reports them again. */
  v.object({ type: v.literal('report_again'), since: unixSeconds }),
  /** Return from a pairing code to the QR, and do not renew the code. */
  v.object({ type: v.literal('show_qr') }),
  /** Sent at the interval of heartbeats, if the worker has a `gatewayTimeoutMs`. */
  v.object({ type: v.literal('heartbeat') }),
  /** Exit within the time; `unlink`: unlink the session from the phone first. */
  v.object({ type: v.literal('stop'), unlink: v.boolean(), timeoutMs: v.number() }),
]);
export type GatewayMessage = v.InferOutput<typeof gatewayMessage>;

const degraded = listOf(degradedCapability, 100);

/**
 * What the page waits for before it links an account with a passkey: the passkey, a confirmation on the phone, or the
 * comparison of a code.
 */
const passkeyStep = v.picklist(['passkey', 'phone', 'code']);
export type PasskeyStep = v.InferOutput<typeof passkeyStep>;

const phoneDigits = v.pipe(v.string(), v.regex(/^\d{5,15}$/));

/** The id of a row in a table of the page, such as that of one reaction. */
export const rowId = v.pipe(networkId, v.maxLength(100));

/** What a worker reports about its session, in order. */
export const workerEvent = v.variant('name', [
  v.object({ name: v.literal('qr'), qr: pngDataUrl }),
  /** The reported QR or code is void; another one follows. */
  v.object({ name: v.literal('qr_void') }),
  /** The page shows a code for the owner of this number (digits), and no QR. */
  v.object({
    name: v.literal('pairing_code'),
    number: phoneDigits,
    ...pairingCode.entries,
  }),
  /** The page shows no QR: it asks for a passkey. Reported again at each step; ends with a QR, or the link. */
  v.object({ name: v.literal('passkey'), step: passkeyStep }),
  /** The account is linked, and the page is loading it. */
  v.object({ name: v.literal('authenticating') }),
  /** The number of the linked account, in digits, before its first sync is done. */
  v.object({ name: v.literal('account'), number: phoneDigits }),
  /** The browser runs without Chromium's sandbox. */
  v.object({ name: v.literal('unsandboxed'), reason: sentence }),
  /** The start made progress. */
  v.object({ name: v.literal('progress') }),
  v.object({ name: v.literal('ready'), info: sessionInfo }),
  /**
   * The version of the page, what does not work because this build lacks parts, and what does not work for other
   * reasons.
   */
  v.object({
    name: v.literal('page'),
    version: v.pipe(v.string(), v.regex(PAGE_VERSION)),
    /** Whether its elements have test ids. */
    testIds: v.boolean(),
    lacking: degraded,
    findings: degraded,
  }),
  /** The network's limits on the account: the first time that they are read, and when they change. */
  v.object({ name: v.literal('limits'), limits: listOf(accountLimit, 10) }),
  /** The page lost its connection to the network; `pageState` is the page's name for it. */
  v.object({ name: v.literal('connection_lost'), pageState: sentence }),
  /** The phone unlinked this device: its auth is invalid. */
  v.object({ name: v.literal('unlinked') }),
  v.object({ name: v.literal('message'), message }),
  v.object({ name: v.literal('message_ack'), id: networkId, ack }),
  /** It may be reported again after a restart, with the same `row`, if any. */
  v.object({ name: v.literal('account_event'), event: accountEvent, row: v.optional(rowId) }),
  /** The page itself sends this message: it was not sent on another device. */
  v.object({ name: v.literal('own_message'), id: networkId }),
  /** All messages before this time, in Unix seconds, were delivered: the session was listening. */
  v.object({ name: v.literal('delivered'), until: unixSeconds }),
  /**
   * All inbound messages since this time, in Unix seconds, have been reported, and a gap for those that could not be.
   */
  v.object({ name: v.literal('caught_up'), since: unixSeconds }),
  /** Messages between these times, in Unix seconds, were not recovered: too old, or too many in this many chats. */
  v.object({ name: v.literal('gap'), from: unixSeconds, to: unixSeconds, chats: count(LIMITS.listed) }),
  /** The session failed, and the worker exits. `retry`: another run may succeed. */
  v.object({ name: v.literal('failed'), reason: workerFailure, detail: v.optional(sentence), retry: v.boolean() }),
]);
export type WorkerEvent = v.InferOutput<typeof workerEvent>;

/** So that reading a message takes the gateway a few milliseconds. */
export const MAX_ROWS_OF_A_MESSAGE = 500;

const callId = v.pipe(v.number(), v.safeInteger());

const MAX_LOG_FIELDS = 10;
/**
 * Set by the gateway: a worker must not write lines that look like those of another session, the gateway or the audit
 * log.
 */
const RESERVED_LOG_FIELDS = [
  'level',
  'time',
  'msg',
  'pid',
  'hostname',
  'name',
  'err',
  'session',
  'run',
  'source',
  'audit',
] as const;
const isReserved = (key: string) => RESERVED_LOG_FIELDS.some((reserved) => reserved === key);

/** Variable parts of a log line: a few short keys, each with a plain value. */
const logFields = v.pipe(
  // Counted before any of them is checked: checking 100,000 would take a while.
  v.custom<object>((fields) => typeof fields === 'object' && fields !== null && !Array.isArray(fields)),
  v.check((fields) => Object.keys(fields).length <= MAX_LOG_FIELDS, `must have at most ${MAX_LOG_FIELDS} fields`),
  v.record(
    v.pipe(
      v.string(),
      v.regex(/^[a-zA-Z]{1,30}$/),
      v.check((key) => !isReserved(key), 'is set by the gateway'),
    ),
    v.union([sentence, v.pipe(v.number(), v.finite()), v.boolean()]),
  ),
);
/** Variable parts of a log line, by name; the gateway's own names are not allowed. */
export type LogFields = Readonly<v.InferOutput<typeof logFields>> & {
  readonly [K in (typeof RESERVED_LOG_FIELDS)[number]]?: never;
};

const logLevel = v.picklist(['debug', 'info', 'warn', 'error']);
export type LogLevel = v.InferOutput<typeof logLevel>;

export const workerMessage = v.variant('type', [
  /** Once the worker is loaded, and from then on. */
  v.object({ type: v.literal('heartbeat') }),
  v.object({ type: v.literal('answer'), callId, answer: v.unknown() }),
  /** Rows of a list that is too long for one message, before the last ones, which are the answer. */
  v.object({ type: v.literal('rows'), callId, rows: listOf(v.unknown(), MAX_ROWS_OF_A_MESSAGE) }),
  /** Errors are sent as code and text: JSON drops the properties of an Error. */
  v.object({
    type: v.literal('error'),
    callId,
    code: errorCode,
    message: sentence,
    issues: v.optional(listOf(fieldIssue, 100)),
    retryAfterSeconds: v.optional(count(86_400)),
    id: v.optional(networkId),
  }),
  /**
   * The message of a call is handed to the network with this id. Sent if the id was chosen, or if the network is slow.
   */
  v.object({ type: v.literal('sending'), callId, id: networkId }),
  v.object({ type: v.literal('event'), event: workerEvent }),
  /** A log line: `event` is a constant text that operators can search for; the variable parts are in the fields. */
  v.object({ type: v.literal('log'), level: logLevel, event: sentence, fields: v.optional(logFields) }),
]);
export type WorkerMessage = v.InferOutput<typeof workerMessage>;
