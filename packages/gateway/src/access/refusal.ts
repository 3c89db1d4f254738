import { type ErrorCode, GatewayError } from '@chat-web/protocol';

/** Why a caller is refused. */
export const refusalKinds = [
  /** No Authorization header, or one without a bearer token. */
  'no_token',
  'wrong_token',
  /** A key or token that was valid once. */
  'expired_key',
  /** The address exceeds the limit for wrong tokens. */
  'too_many_wrong_tokens',
  'foreign_session',
  'insufficient_scope',
  'web_page',
] as const;
export type RefusalKind = (typeof refusalKinds)[number];

const codes = {
  no_token: 'unauthorized',
  wrong_token: 'unauthorized',
  expired_key: 'unauthorized',
  too_many_wrong_tokens: 'rate_limited',
  foreign_session: 'session_not_found',
  insufficient_scope: 'insufficient_scope',
  web_page: 'forbidden',
} as const satisfies Record<RefusalKind, ErrorCode>;

/** An error caused by who calls, not by what is requested. */
export class Refusal extends GatewayError {
  readonly kind: RefusalKind;
  /** `retryAfterSeconds`: when to retry, if known. */
  constructor(kind: RefusalKind, message: string, retryAfterSeconds?: number) {
    super(codes[kind], message, { retryAfterSeconds });
    this.kind = kind;
  }
}
