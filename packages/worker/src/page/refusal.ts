import type { ErrorCode } from '@chat-web/protocol';

/** The codes that functions of the program use. */
export type RefusalCode = Extract<
  ErrorCode,
  | `${'call' | 'chat' | 'contact' | 'media' | 'message' | 'recipient'}_not_found`
  | 'client_failed'
  | 'edit_window_closed'
  | 'media_unavailable'
  | 'not_permitted'
  | 'outcome_unknown'
  | 'page_unsupported'
  | 'rate_limited'
>;

interface More {
  /** How long the caller should wait before another attempt. */
  readonly retryAfterSeconds?: number | undefined;
}

/**
 * Why a function of the program has no result: the caller of the operation receives the code, which its row declares,
 * and the sentence. Any other error is one of the page, and hides what it has done.
 */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: RefusalCode, why: string, { retryAfterSeconds }: More = {}) {
    super(why);
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** What the worker receives of a call. */
export type Answer = { readonly ok: unknown } | ({ readonly refused: RefusalCode; readonly why: string } & More);

/** The result of a call, or why it has none. Rejects with the errors of the page, unless they are refusals of the network. */
export async function answerTo(call: () => unknown): Promise<Answer> {
  try {
    return { ok: await call() };
  } catch (error) {
    const { code, message: why, retryAfterSeconds } = asRefusal(error);
    return { refused: code, why, retryAfterSeconds };
  }
}

/** A refusal by the page or the network; rethrows an error of the page. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const code = networkCode(error);
  if (code === undefined) throw error;
  return refusedByNetwork(code);
}

/** The status code if an error is a refusal of the network; undefined for an error of the page, or of a media server. */
export function networkCode(error: unknown): number | undefined {
  const { status, statusCode, name } = (error ?? {}) as Record<string, unknown>;
  if (name === 'HttpStatusCodeError') return undefined;
  const code = Number(status ?? statusCode);
  if (Number.isFinite(code) && code > 0) return code;
  return name === 'ServerStatusCodeError' ? 400 : undefined;
}

/** The minimum duration of a limit, by the network's code: the network does not say, and each attempt counts. */
const LIMIT_SECONDS = new Map([
  [429, 60],
  /** The account wrote to too many strangers, and may not write to new people for one or more days. */
  [463, 86_400],
  /** The account has reached its monthly limit of new people. */
  [475, 86_400],
]);

/** How long a limit of the network lasts at least, by its code; undefined for another code. */
export function limitSeconds(code: number): number | undefined {
  return LIMIT_SECONDS.get(code);
}

/**
 * A refusal by the network: nothing was changed. A code of 500 or more is no refusal: the page also uses it for its own
 * errors while it sends a request or reads the response, so the request may have taken effect.
 */
export function refusedByNetwork(code: number): Refusal {
  const retryAfterSeconds = LIMIT_SECONDS.get(code);
  if (retryAfterSeconds !== undefined)
    return new Refusal('rate_limited', `the network limits the rate of this request (code ${code}): retry later`, {
      retryAfterSeconds,
    });
  if (code === 401 || code === 403)
    return new Refusal('not_permitted', `the network does not permit the request (code ${code})`);
  if (code >= 500) return new Refusal('outcome_unknown', `the network failed to answer the request (code ${code})`);
  return new Refusal('client_failed', `the network refused the request (code ${code}); nothing was changed`);
}

/** A refusal of something that was sent as a message: definite with any code, and in some builds without one. */
export function refusedMessage(what: string, code: number | undefined): Refusal {
  if (code !== undefined && LIMIT_SECONDS.has(code)) return refusedByNetwork(code);
  const why = code === undefined ? '' : ` (code ${code})`;
  return new Refusal('not_permitted', `the network refused the ${what}${why}`);
}

/** Refuses the call by the status in an answer: no status means success. */
export function requireSuccess(answer: { readonly status?: unknown } | undefined): void {
  const status = Number(answer?.status ?? 200);
  if (status !== 200) throw refusedByNetwork(status);
}

/** The page did not apply a change, without a reason. */
export function ignored(): Refusal {
  return new Refusal('client_failed', 'the web client did not apply the change; the network may have refused it');
}

/** The page failed, and the network may have the change. `what`: `the message was pinned`. */
export function unreported(what: string): Refusal {
  return new Refusal('outcome_unknown', `the web client did not report whether ${what}`);
}

/** A refusal of one of several changes: it names those that were made before it. */
export function afterChanges(changed: readonly string[], { code, message, retryAfterSeconds }: Refusal): Refusal {
  const before = changed.length > 0 ? `; changed before it: ${changed.join(', ')}` : '';
  // `client_failed` says that nothing was changed.
  const isPartial = changed.length > 0 && code === 'client_failed';
  const why = `${message.replace('; nothing was changed', '')}${before}`;
  return new Refusal(isPartial ? 'outcome_unknown' : code, before ? why : message, { retryAfterSeconds });
}
