import * as v from 'valibot';
import { errorCode, fieldIssue } from './errors.ts';
import { count, LIMITS, listOf, networkId, PAGE_VERSION, sentence, unixSeconds } from './limits.ts';
import { workerFailure } from './reasons.ts';
import { ack, degradedCapability, message, pngDataUrl, sessionInfo } from './resources.ts';

/** A worker says this often that it is there. */
export const HEARTBEAT_INTERVAL_MS = 5_000;

/** A document of the page that was saved, and the headers that say what it may do. */
export const pinnedPage = v.object({
  version: v.string(),
  html: v.string(),
  headers: v.record(v.string(), v.string()),
});
export type PinnedPage = Readonly<v.InferOutput<typeof pinnedPage>>;

/** What a worker needs to know of its session; it reads no settings of its own. */
export const workerOptions = v.object({
  sessionId: v.string(),
  /** Folder of the session's own; the browser's profile lies in it. */
  sessionDir: v.string(),
  /** The browser's executable; absent: the worker finds one. */
  browserPath: v.optional(v.string()),
  /** Chromium's headless shell rather than the whole browser. */
  headlessShell: v.boolean(),
  browserArgs: v.array(v.string()),
  /** Where the uploads lie that calls name. */
  uploadsDir: v.string(),
  /** Where the session puts files of its own. */
  spoolDir: v.string(),
  /** How much a session may have there at a time. */
  spoolMaxBytes: v.number(),
  /** Inbound messages from this time on, in Unix seconds, are told of when the session is ready, if they came unheard. */
  heardUntil: v.number(),
  /** Where documents of the page are kept by version, for all sessions. */
  pagesDir: v.string(),
  /** What to load in the place of the network's. */
  pinnedPage: v.optional(pinnedPage),
  /** When the account was linked, in Unix seconds; 0 where it is not yet. */
  linkedAt: v.number(),
  /** A run of the last day ended because nobody confirmed its sends: another such end would gain nothing. */
  wasMute: v.boolean(),
  /** After so long without a word of the network it is asked whether it is there. Milliseconds. */
  silenceTimeoutMs: v.number(),
  fetchLimits: v.object({ allowedHosts: v.array(v.string()), maxBytes: v.number(), timeoutMs: v.number() }),
});
export type WorkerOptions = v.InferOutput<typeof workerOptions>;

/** Messages may come in another order than that of their timestamps; this much, in seconds, is looked at again. */
export const OVERLAP_SECONDS = 120;

/** From the gateway to a worker. `start` is sent once the worker has said `booted`. */
export const gatewayMessage = v.variant('type', [
  v.object({ type: v.literal('start'), options: workerOptions }),
  v.object({ type: v.literal('call'), callId: v.number(), operation: v.string(), input: v.unknown() }),
  /** End, before the time is up; `unlink` first tells the phone that this device goes. */
  v.object({ type: v.literal('stop'), unlink: v.boolean(), timeoutMs: v.number() }),
]);
export type GatewayMessage = v.InferOutput<typeof gatewayMessage>;

const degraded = listOf(degradedCapability, 100);

/** What a worker tells of its session, in the order in which it happened. */
export const workerEvent = v.variant('name', [
  v.object({ name: v.literal('qr'), qr: pngDataUrl }),
  /** The account is linked, and the page is coming up. */
  v.object({ name: v.literal('authenticating') }),
  /** The start has come further, though not to the next status. */
  v.object({ name: v.literal('progress') }),
  v.object({ name: v.literal('ready'), info: sessionInfo }),
  /** What the page is, what does not work on it because this build lacks parts, and what does not for other reasons. */
  v.object({
    name: v.literal('page'),
    version: v.pipe(v.string(), v.regex(PAGE_VERSION)),
    lacking: degraded,
    findings: degraded,
  }),
  /** The page is alive, but its connection to the network is not; `pageState` is the page's own word for it. */
  v.object({ name: v.literal('connection_lost'), pageState: sentence }),
  /** The phone has unlinked this device: its auth is worthless. */
  v.object({ name: v.literal('unlinked') }),
  v.object({ name: v.literal('message'), message }),
  v.object({ name: v.literal('message_ack'), id: networkId, ack }),
  /** Nothing from before this time, in Unix seconds, is still to come: the session has listened all the while. */
  v.object({ name: v.literal('heard'), until: unixSeconds }),
  /** Messages between these times, in Unix seconds, were not caught up with: too old, or too many in so many chats. */
  v.object({ name: v.literal('gap'), from: unixSeconds, to: unixSeconds, chats: count(LIMITS.listed) }),
  /** The session cannot go on in this worker; it exits after this. `retry`: another worker may fare better. */
  v.object({ name: v.literal('failed'), reason: workerFailure, detail: v.optional(sentence), retry: v.boolean() }),
]);
export type WorkerEvent = v.InferOutput<typeof workerEvent>;

const callId = v.pipe(v.number(), v.safeInteger());

/** From a worker to the gateway. */
export const workerMessage = v.variant('type', [
  v.object({ type: v.literal('booted') }),
  v.object({ type: v.literal('heartbeat') }),
  v.object({ type: v.literal('answer'), callId, answer: v.unknown() }),
  /** Errors cross as code and text: JSON loses an Error's own properties. */
  v.object({
    type: v.literal('error'),
    callId,
    code: errorCode,
    message: sentence,
    issues: v.optional(listOf(fieldIssue, 100)),
    retryAfterSeconds: v.optional(count(86_400)),
  }),
  v.object({ type: v.literal('event'), event: workerEvent }),
  v.object({ type: v.literal('log'), level: v.picklist(['debug', 'info', 'warn', 'error']), text: sentence }),
]);
export type WorkerMessage = v.InferOutput<typeof workerMessage>;
