import { GatewayError } from '@chat-web/protocol';
import { type Caller, callerEnd, operator } from './caller.ts';
import type { Keys } from './keys.ts';
import type { OperatorToken } from './operator-token.ts';
import { digestOf } from './token.ts';

const OPEN = operator('open', callerEnd().signal);

/** Tells who asks. */
export class Access {
  readonly #token: OperatorToken | undefined;
  readonly #keys: Keys;

  constructor(token: OperatorToken | undefined, keys: Keys) {
    this.#token = token;
    this.#keys = keys;
  }

  /** True unless the gateway is open. */
  get asksForToken(): boolean {
    return this.#token !== undefined;
  }

  /** Who comes with this Authorization header. Throws `unauthorized`. */
  identify(authorization: string | undefined): Caller {
    if (!this.#token) return OPEN;
    const [, presented] = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? '') ?? [];
    if (presented === undefined) {
      throw new GatewayError('unauthorized', 'send the header Authorization: Bearer <CHAT_WEB_TOKEN or a key>');
    }
    const digest = digestOf(presented);
    const operator = this.#token.find(digest);
    if (operator) return operator;
    const key = this.#keys.find(digest);
    if (key?.holds) return key.caller;
    throw new GatewayError(
      'unauthorized',
      key ? 'the key no longer holds' : 'the bearer token is none of this gateway',
    );
  }
}
