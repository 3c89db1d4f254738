import { type Caller, createRevocation, operator } from './caller.ts';
import type { FailureLimit } from './failure-limit.ts';
import type { Keys } from './keys.ts';
import type { OperatorToken } from './operator-token.ts';
import { Refusal } from './refusal.ts';
import { digestOf } from './token.ts';

const OPEN = operator('open', createRevocation().signal);

export interface Presented {
  readonly authorization: string | undefined;
  /** The remote address; undefined on a unix socket. */
  readonly address: string | undefined;
}

export class Access {
  readonly #token: OperatorToken | undefined;
  readonly #keys: Keys;
  readonly #limit: FailureLimit;

  constructor(token: OperatorToken | undefined, keys: Keys, limit: FailureLimit) {
    this.#token = token;
    this.#keys = keys;
    this.#limit = limit;
  }

  /** False if no token is set: then every request is accepted. */
  get asksForToken(): boolean {
    return this.#token !== undefined;
  }

  /**
   * The caller of a request. Throws a Refusal if the credentials are missing or invalid. The limit never blocks valid
   * ones.
   */
  identify({ authorization, address }: Presented): Caller {
    if (!this.#token) return OPEN;
    const [, presented] = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? '') ?? [];
    if (presented === undefined)
      throw new Refusal('no_token', 'send the header Authorization: Bearer <CHAT_WEB_TOKEN or a key>');
    const digest = digestOf(presented);
    const operator = this.#token.find(digest);
    if (operator) return operator;
    const key = this.#keys.find(digest);
    if (key?.isValid) return key.caller;
    // Not counted as a failure: this key was valid once, so it is no guess.
    if (key) throw new Refusal('expired_key', 'the key has expired or was deleted: ask the operator for a new one');
    const seconds = this.#limit.failed(address);
    if (seconds === 0) throw new Refusal('wrong_token', 'the bearer token is not valid for this gateway');
    const text = `too many wrong tokens from this address: wait ${seconds} s, or send a valid one`;
    throw new Refusal('too_many_wrong_tokens', text, seconds);
  }
}
