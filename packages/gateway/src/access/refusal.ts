import { type ErrorCode, GatewayError } from '@chat-web/protocol';
import { LineBudget, perMinute } from '../line-budget.ts';
import type { Log } from '../log.ts';

/** The kinds of refusals, and the error of each. */
const CODES = {
  /** No Authorization header, or one without a bearer token. */
  no_token: 'unauthorized',
  wrong_token: 'unauthorized',
  /** A ticket for an event stream that is unknown, used or expired. */
  wrong_ticket: 'unauthorized',
  /** A key or token that was valid once. */
  expired_key: 'unauthorized',
  /** The address exceeds the limit for wrong tokens. */
  too_many_wrong_tokens: 'rate_limited',
  foreign_session: 'session_not_found',
  insufficient_scope: 'insufficient_scope',
  foreign_recipient: 'recipient_not_allowed',
  web_page: 'forbidden',
  /** Claims to be forwarded by a gateway of the cluster. */
  not_forwarded: 'forbidden',
} as const satisfies Record<string, ErrorCode>;
type RefusalKind = keyof typeof CODES;

/** An error caused by who calls, not by what is requested. */
export class Refusal extends GatewayError {
  readonly kind: RefusalKind;
  constructor(kind: RefusalKind, message: string, retryAfterSeconds?: number) {
    super(CODES[kind], message, { retryAfterSeconds });
    this.kind = kind;
  }
}

const LINES_PER_MINUTE = 10;

interface Refused {
  readonly address: string | undefined;
  readonly key: string | undefined;
}

/** Counts refusals and logs them, with a rate limit. */
export class Refusals {
  readonly #log: Log;
  readonly #kinds = new Map(
    (Object.keys(CODES) as RefusalKind[]).map((kind) => [
      kind,
      { count: 0, budget: new LineBudget(perMinute(LINES_PER_MINUTE)) },
    ]),
  );

  constructor(log: Log) {
    this.#log = log;
  }

  counts(): [RefusalKind, number][] {
    return [...this.#kinds].map(([kind, { count }]) => [kind, count]);
  }

  note(kind: RefusalKind, refused: Refused): void {
    const entry = this.#kinds.get(kind);
    if (!entry) return;
    entry.count += 1;
    const skipped = entry.budget.take();
    if (skipped !== undefined)
      this.#log.warn({ refused: kind, ...refused, ...(skipped ? { skipped } : {}) }, 'access refused');
  }
}
