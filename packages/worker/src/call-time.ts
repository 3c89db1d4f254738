import { GatewayError } from '@chat-web/protocol';

/** Reserved for returning the answer. */
const RESERVE_MS = 3_000;
/** A step of the page ends this much before the call that it is a part of, so that the page can report it. */
const MARGIN_MS = 1_000;
/** A step that starts with less would probably time out, with an unknown outcome. */
const MIN_STEP_MS = 2_000;

/** The longest that a step may take, as a share of the time limit of the operation. */
const SHARES = {
  /** Checks a recipient, or looks for a message. */
  check: 1 / 12,
  file: 1 / 6,
  /** Converts media that phones do not play. */
  conversion: 1 / 4,
  sticker: 1 / 12,
  picture: 1 / 3,
  /** Downloads the file of a message that is forwarded. */
  download: 1 / 2,
  /** Waits for a link preview: the account's phone makes it, and may be off. */
  preview: 1 / 24,
  /** Waits until the page hands over a message that needs no more preparation. */
  begin: 1 / 12,
  text: 0.225,
  textAck: 0.1,
  /** Waits until the network has a file: files are large, and uplinks slow. */
  fileAck: 1 / 4,
  /** Kept for a send while its file is prepared. */
  send: 1 / 12,
  /** Kept for forwarding a message while its file is loaded. */
  forward: 1 / 3,
  textStatus: 1 / 6,
  fileStatus: 2 / 3,
  /** Waits until the page lists a new status. */
  statusShown: 1 / 24,
  statuses: 1 / 6,
  members: 1 / 4,
  /** Waits until the page shows a change that was applied. */
  settle: 1 / 10,
  ringing: 1 / 4,
  /** Waits for the current presence, which the network may not send. */
  presence: 1 / 10,
  /** Queries one part of an answer, which is left out if it does not arrive. */
  part: 1 / 2,
  /** One of several queries, the next of which may return what it does not. */
  query: 1 / 4,
  /** Reads items in portions, until there are enough. */
  portions: 1 / 3,
  /** A long step of the page that ends early, so that the page can report what it has done. */
  inPage: 2 / 3,
  /** Changes several settings; the one that is started last has the rest of the time. */
  changes: 1 / 2,
  /** Waits for the phone, which has to wake up and send a file. */
  phone: 0.8,
  /** The page's own download, which runs before ours. */
  ownDownload: 5 / 6,
} as const;

export type Step = keyof typeof SHARES;

/** Steps that take no longer in an operation that may take longer. */
const MAX_STEP_MS: Partial<Record<Step, number>> = { members: 8_000, settle: 5_000 };

/**
 * The time of one call, from the time limit of its operation. All its steps share it, and end before it does, so that
 * the error names the step.
 */
export class CallTime {
  readonly #limitMs: number;
  readonly #sends: boolean;
  readonly #endsAt: number;

  /** `limitMs`: the time limit of the operation. `sends`: its error says that nothing was sent. */
  constructor(limitMs: number, sends: boolean) {
    this.#limitMs = limitMs;
    this.#sends = sends;
    this.#endsAt = performance.now() + limitMs - RESERVE_MS;
  }

  /**
   * How many milliseconds the longest step may take: those left after reserving the shares of later steps. Throws if
   * they are too few for a step.
   */
  rest(...later: Step[]): number {
    const reservedMs = later.reduce((total, name) => total + this.#shareOf(name), 0);
    const leftMs = Math.floor(this.#endsAt - performance.now()) - reservedMs;
    if (leftMs >= MIN_STEP_MS) return leftMs;
    const late = 'the time limit of the request was reached';
    throw new GatewayError('client_failed', this.#sends ? `${late}; nothing was sent` : late);
  }

  /** As `rest`, but at most the share of the step. */
  step(name: Step, ...later: Step[]): number {
    return Math.min(this.#shareOf(name), this.rest(...later) - MARGIN_MS);
  }

  #shareOf(name: Step): number {
    return Math.min(Math.round(SHARES[name] * this.#limitMs), MAX_STEP_MS[name] ?? Number.POSITIVE_INFINITY);
  }
}
