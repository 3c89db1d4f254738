import type { Attempt, LogFields, LogLevel, PairingCode, WorkerEvent } from '@chat-web/protocol';
import type { SpoolShare } from '../media/spool-share.ts';
import type { SendPlan } from '../page/messages.ts';

/** A function that runs in the page. It is sent there as text: it can use its arguments and the page, nothing else. */
export type PageScript<A extends unknown[], R> = (...args: A) => R | Promise<R>;

/**
 * Calls of handlers to the web client. A failed call rejects with a GatewayError: `session_not_ready` while the account
 * is not connected, `client_failed` if the page threw, and for a page that is lost or too slow `session_lost`, or
 * `outcome_unknown` if the script changes something.
 */
export interface PageCalls {
  /** Runs a script that changes nothing. */
  read<A extends unknown[], R>(timeoutMs: number, script: PageScript<A, R>, ...args: A): Promise<R>;
  /** Runs a script that changes something. */
  change<A extends unknown[], R>(timeoutMs: number, script: PageScript<A, R>, ...args: A): Promise<R>;
  /**
   * Runs a script that sends a message, and waits for the network to confirm it. `client_failed` if the page was shown
   * to have handed nothing over within `beginMs`, and never will; `outcome_unknown` if it may have.
   */
  send<A extends unknown[], R>(limits: SendLimits, script: PageScript<[SendPlan, ...A], R>, ...args: A): Promise<R>;
  /** Loads a file from disk into the page, each step within the time, and runs `work` with its key. */
  withFile<R>(timeoutMs: number, path: string, work: (key: string) => Promise<R>): Promise<R>;
  /**
   * The bytes of a file that the page keeps, in small pieces, all within the time. Exactly `size` bytes:
   * `session_lost` if the page has fewer, `client_failed` if it has more.
   */
  readFile(timeoutMs: number, key: string, size: number): AsyncIterable<Buffer>;
  /** Called after each send: whether the network has confirmed it in time. */
  onSent(isConfirmed: boolean): void;
}

/** The time limits of a send, in milliseconds. */
export interface SendLimits {
  /** Until the page hands the message over. */
  readonly beginMs: number;
  /** In all. */
  readonly timeoutMs: number;
  /** Once the message was handed over, until the network has it. */
  readonly ackTimeoutMs: number;
  /** The id that the message is to have. */
  readonly attempt?: Attempt | undefined;
}

/** Calls of handlers to a page that is to be linked. */
export interface LinkingCalls {
  /**
   * A code with which the owner of a number, in digits, links the page. 400, 404, 429, 501 or `client_failed` if there
   * is none, `outcome_unknown` if the page is lost or too slow.
   */
  requestCode(number: string): Promise<PairingCode>;
}

/** The dependencies of the handlers. */
export interface HandlerContext {
  readonly page: PageCalls;
  readonly linking: LinkingCalls;
  /** Folder of the uploads that calls name. */
  readonly uploadsDir: string;
  /** Folder for files of the session. */
  readonly spoolDir: string;
  readonly spoolShare: SpoolShare;
  readonly fetchLimits: FetchLimits;
}

/** Limits for media by URL. */
export interface FetchLimits {
  /** Hosts, `host:port` or CIDR ranges that are allowed although they are not on the public internet. */
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
