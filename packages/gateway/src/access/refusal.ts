import { type ErrorCode, GatewayError } from '@chat-web/protocol';

/** Why somebody may not do what they ask for. */
export const refusalKinds = [
  /** No bearer token, or a header that is none. */
  'no_token',
  'wrong_token',
  /** A key that was right once. */
  'expired_key',
  /** Wrong ones came too often from that address. */
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

/** An error because of who asks, rather than of what is asked. */
export class Refusal extends GatewayError {
  readonly kind: RefusalKind;
  /** `retryAfterSeconds`: when it is worth another try, where that is known. */
  constructor(kind: RefusalKind, message: string, retryAfterSeconds?: number) {
    super(codes[kind], message, { retryAfterSeconds });
    this.kind = kind;
  }
}
