import { type ErrorCode, GatewayError } from '@chat-web/protocol';
import type { Refused } from '../page/models.ts';

export type CodeAndText = readonly [code: ErrorCode, text: string];

export const NO_MESSAGE: CodeAndText = ['message_not_found', 'the message is unknown to this account, or was deleted'];
export const NO_CHAT: CodeAndText = ['chat_not_found', 'the account has no such chat'];
export const NO_CONTACT: CodeAndText = ['contact_not_found', 'the account has no such contact'];
export const BLOCKED: CodeAndText = ['not_permitted', 'the account has blocked the recipient'];
export const NO_IMAGE: CodeAndText = [
  'media_unavailable',
  'the browser cannot read the file as an image; nothing was changed',
];
/** The page did not apply a change, without a reason. */
export const IGNORED: CodeAndText = [
  'client_failed',
  'the web client did not apply the change; the network may have refused it',
];

/**
 * The outcome of a page function. Throws if it is a refusal: the error with the function's name for it, or, for one by the
 * network, the error of its code.
 */
export function unlessRefused<R, K extends Extract<R, string>>(
  outcome: R,
  refusals: Readonly<Record<K, CodeAndText>>,
  errorOf: (code: number) => GatewayError = refusedBy,
): Exclude<R, K | Refused> {
  if (typeof outcome === 'string' && Object.hasOwn(refusals, outcome)) {
    const [code, text]: CodeAndText = refusals[outcome as K];
    throw new GatewayError(code, text);
  }
  if (typeof outcome === 'object' && outcome !== null && 'refused' in outcome) throw errorOf(Number(outcome.refused));
  return outcome as Exclude<R, K | Refused>;
}

/**
 * The minimum duration of a limit, in seconds by the network's code: the network does not say, and each attempt counts.
 */
export const LIMIT_SECONDS = new Map([
  [429, 60],
  /** The account wrote to too many strangers, and may not write to new people for one or more days. */
  [463, 86_400],
  /** The account has reached its monthly limit of new people. */
  [475, 86_400],
]);

/**
 * The error for a refusal by the network: nothing was changed. A code of 500 or more is no refusal: the page also uses
 * it for its own errors while it sends a request or reads the response, so the request may have taken effect. `failed`
 * is the error code for that.
 */
export function refusedBy(code: number, failed: 'outcome_unknown' | 'client_failed' = 'outcome_unknown'): GatewayError {
  const retryAfterSeconds = LIMIT_SECONDS.get(code);
  if (retryAfterSeconds !== undefined)
    return new GatewayError('rate_limited', `the network limits the rate of this request (code ${code}): retry later`, {
      retryAfterSeconds,
    });
  if (code === 401 || code === 403)
    return new GatewayError('not_permitted', `the network does not permit the request (code ${code})`);
  if (code >= 500) return new GatewayError(failed, `the network failed to answer the request (code ${code})`);
  return new GatewayError('client_failed', `the network refused the request (code ${code}); nothing was changed`);
}
