import type {
  Attempt,
  Handlers,
  LogFields,
  LogLevel,
  PairingCode,
  WorkerEvent,
  WorkerOperationName,
} from '@chat-web/protocol';
import type { CallTime } from '../call-time.ts';
import type { SpoolShare } from '../media/spool-share.ts';
import type { SendPlan } from '../page/models.ts';

/** The functions of the page program, by name. */
type PageProgram = typeof import('../page/index.ts');
export type PageFunction = keyof PageProgram;
export type PageArgs<N extends PageFunction> = Parameters<PageProgram[N]>;
export type PageResult<N extends PageFunction> = Awaited<ReturnType<PageProgram[N]>>;
/** Calls a function of the program in the current document. */
export type RunInPage = <N extends PageFunction>(name: N, ...args: PageArgs<N>) => Promise<PageResult<N>>;

/** The functions that send a message: their first argument is the plan of the send. */
export type SendFunction = {
  [N in PageFunction]: PageArgs<N> extends [plan: SendPlan, ...args: infer _] ? N : never;
}[PageFunction];
export type SendArgs<N extends SendFunction> = PageArgs<N> extends [plan: SendPlan, ...args: infer A] ? A : never;

/**
 * Calls of handlers to the web client. A failed call rejects with a GatewayError: with the code of a refusal by the page
 * program or the network; `session_not_ready` while the account is not connected; `client_failed` if the page threw; if
 * the page is lost or too slow, `session_lost`, or `outcome_unknown` if the function changes something.
 */
export interface PageCalls {
  /** Calls a function of the page program that changes nothing. */
  read<N extends PageFunction>(timeoutMs: number, name: N, ...args: PageArgs<N>): Promise<PageResult<N>>;
  /** Calls a function that changes something. */
  change<N extends PageFunction>(timeoutMs: number, name: N, ...args: PageArgs<N>): Promise<PageResult<N>>;
  /**
   * Calls a function that sends a message, and waits for the network to confirm it. `client_failed` if the page certainly
   * handed nothing over within `beginMs`, and will not later; `outcome_unknown` if it may have.
   */
  send<N extends SendFunction>(limits: SendLimits, name: N, ...args: SendArgs<N>): Promise<PageResult<N>>;
  /** Loads a file from disk into the page, each step within the time limit, and runs `work` with its key. */
  withFile<R>(timeoutMs: number, path: string, work: (key: string) => Promise<R>): Promise<R>;
  /**
   * The bytes of a file in the page, in small pieces, with a time limit in total. Exactly `size` bytes:
   * `session_lost` if the page has fewer, `client_failed` if it has more.
   */
  readFile(timeoutMs: number, key: string, size: number): AsyncIterable<Buffer>;
  /** Called after each send: whether the network confirmed it in time. */
  onSent(isConfirmed: boolean): void;
}

/** The time limits of a send, in milliseconds. */
export interface SendLimits {
  /** Until the page hands the message over. */
  readonly beginMs: number;
  /** In total. */
  readonly timeoutMs: number;
  /** From the handover of the message until the network has it. */
  readonly ackTimeoutMs: number;
  /** The attempt of a keyed send, with the id for the message. */
  readonly attempt?: Attempt | undefined;
}

/** Calls of handlers to a page that is not linked yet. */
export interface LinkingCalls {
  /**
   * A code for a number, in digits, whose owner types it to link the page. 400, 404, 429, 501 or `client_failed`
   * without a code, `outcome_unknown` if the page is lost or too slow.
   */
  requestCode(number: string): Promise<PairingCode>;
}

/** What a handler gets besides its input. */
export interface Call {
  readonly time: CallTime;
  /** Set by operations that send a message. */
  readonly attempt?: Attempt | undefined;
}

/** The handlers of operations that a worker carries out. */
export type WorkerHandlers<N extends WorkerOperationName = WorkerOperationName> = Handlers<N, Call>;

/** The dependencies of the handlers. */
export interface HandlerDependencies {
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
  /** Hosts, `host:port` or CIDR ranges that are allowed although they are not public. */
  readonly allowedHosts: readonly string[];
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** With a version: some hosts refuse a name alone. */
  readonly userAgent: string;
}

/** Reports the events of the session, in order. */
export type ReportEvent = (event: WorkerEvent) => void;

/**
 * Writes a log line. `event` is a constant text in the past tense, which operators search for; variable parts are in
 * the fields. Never with a message body, a QR or a token.
 */
export type Log = (level: LogLevel, event: string, fields?: LogFields) => void;
