import type { LogFields, LogLevel, WorkerEvent } from '@chat-web/protocol';
import type { SpoolShare } from '../media/spool-share.ts';

/** A function that runs in the page. It is sent there as text: it knows its arguments and the page, nothing else. */
export type PageScript<A extends unknown[], R> = (...args: A) => R | Promise<R>;

/**
 * What handlers ask of the web client. Every call fails with a GatewayError that tells the truth: `session_not_ready`
 * while the account is not connected, `client_failed` if the page threw, and for a page that is lost or too slow
 * `session_lost`, or `outcome_unknown` if the script changes something.
 */
export interface PageCalls {
  /** Runs a script that changes nothing. */
  read<A extends unknown[], R>(timeoutMs: number, script: PageScript<A, R>, ...args: A): Promise<R>;
  /** Runs a script that changes something. */
  change<A extends unknown[], R>(timeoutMs: number, script: PageScript<A, R>, ...args: A): Promise<R>;
  /** Has the browser take a file from disk, with each step of that in time, and lets some work use it in the page by a key. */
  withFile<R>(timeoutMs: number, path: string, work: (key: string) => Promise<R>): Promise<R>;
  /** Told of each send: whether the network has confirmed it in time. */
  onSent(isConfirmed: boolean): void;
}

/** What handlers have to work with. */
export interface HandlerContext {
  readonly page: PageCalls;
  /** Where the uploads lie that calls name. */
  readonly uploadsDir: string;
  /** Where the session puts files of its own. */
  readonly spoolDir: string;
  readonly spoolShare: SpoolShare;
  readonly fetchLimits: FetchLimits;
}

/** What media by URL go by. */
export interface FetchLimits {
  /** Hosts, `host:port` or CIDR ranges that may be fetched from although they are not on the public internet. */
  readonly allowedHosts: readonly string[];
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** Reports the events of the session, in order. */
export type ReportEvent = (event: WorkerEvent) => void;

/**
 * Writes a log line: `event` is a constant text in the past tense, by which operators search; what varies is in the
 * fields. Never with a message body, a QR or a token.
 */
export type Log = (level: LogLevel, event: string, fields?: LogFields) => void;
