import { type Caller, callerEnd, operator } from './caller.ts';
import type { FailureLimit } from './failure-limit.ts';
import type { Keys } from './keys.ts';
import type { OperatorToken } from './operator-token.ts';
import { Refusal } from './refusal.ts';
import { digestOf } from './token.ts';

const OPEN = operator('open', callerEnd().signal);

/** What a request says of who sends it. */
export interface Presented {
  readonly authorization: string | undefined;
  /** The address that it comes from; undefined on a unix socket. */
  readonly address: string | undefined;
}

/** Tells who asks. */
export class Access {
  readonly #token: OperatorToken | undefined;
  readonly #keys: Keys;
  readonly #limit: FailureLimit;

  constructor(token: OperatorToken | undefined, keys: Keys, limit: FailureLimit) {
    this.#token = token;
    this.#keys = keys;
    this.#limit = limit;
  }

  /** True unless the gateway is open. */
  get asksForToken(): boolean {
    return this.#token !== undefined;
  }

  /** Who sends a request. Throws a Refusal where that is nobody who may ask; what is right passes at any time. */
  identify({ authorization, address }: Presented): Caller {
    if (!this.#token) return OPEN;
    const [, presented] = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? '') ?? [];
    if (presented === undefined)
      throw new Refusal('no_token', 'send the header Authorization: Bearer <CHAT_WEB_TOKEN or a key>');
    const digest = digestOf(presented);
    const key = this.#keys.find(digest);
    const caller = this.#token.find(digest) ?? (key?.holds ? key.caller : undefined);
    if (caller) return caller;
    if (key) throw new Refusal('expired_key', 'the key no longer holds: ask the operator for another'); // No guess.
    const seconds = this.#limit.failed(address);
    if (seconds === 0) throw new Refusal('wrong_token', 'the bearer token is none of this gateway');
    const text = `too many wrong tokens from this address: wait ${seconds} s, or send a right one`;
    throw new Refusal('too_many_wrong_tokens', text, seconds);
  }
}
