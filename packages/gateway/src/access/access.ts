import { GatewayError } from '@chat-web/protocol';
import { type Caller, callerEnd } from './caller.ts';
import type { OperatorToken } from './operator-token.ts';
import { digestOf } from './token.ts';

/** What stands for everybody, where no token is asked for. */
const OPEN: Caller = { id: 'open', signal: callerEnd().signal };

/** Tells who asks. */
export class Access {
  readonly #token: OperatorToken | undefined;

  constructor(token: OperatorToken | undefined) {
    this.#token = token;
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
      throw new GatewayError('unauthorized', 'send the header Authorization: Bearer <CHAT_WEB_TOKEN>');
    }
    const caller = this.#token.find(digestOf(presented));
    if (caller) return caller;
    throw new GatewayError('unauthorized', 'the bearer token is not the one of this gateway');
  }
}
