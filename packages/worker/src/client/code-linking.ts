import {
  errorText,
  GatewayError,
  invalidRequest,
  type PairingCode,
  pairingCode,
  resultWithin,
  withDeadline,
} from '@chat-web/protocol';
import * as v from 'valibot';
import type { CodeAnswer, CodeRefusal } from '../page/linking.ts';
import type { LinkEvent } from './link-state.ts';
import type { Log } from './port.ts';

/** The page does not accept older codes. */
const CODE_MS = 180_000;
/** A code with less time left is not worth showing again. */
const MIN_LEFT_MS = 20_000;
/** How long linking may take once a code was typed. */
export const TYPED_MS = 60_000;
/**
 * The page's own screen renews a code five times. After about seven codes, the network refuses a number for hours:
 * after three codes, the caller has to request another.
 */
const MAX_RENEWALS = 2;
const ASK_TIMEOUT_MS = 20_000;
/** The most codes that may be requested within `PAUSE_MS`, not counting renewals. */
const MAX_REQUESTS = 6;
const PAUSE_MS = 600_000;
const RETURN_TIMEOUT_MS = 10_000;
/** The network does not say how long it refuses a number; users report hours. */
const RATE_LIMIT_SECONDS = 3_600;

/** The functions of the page that pairing by code needs. */
export interface CodeLinkingDependencies {
  /** Requests a code for a number. May hang. */
  ask(number: string, notifiesPhone: boolean): Promise<CodeAnswer>;
  /** Makes the page linkable by its QR again. May hang. */
  returnToQr(): Promise<void>;
  /** Reports what happens to the code: the events `code…` and `back_to_qr`. */
  dispatch(event: LinkEvent): void;
  readonly log: Log;
}

/** A number with a requested code. */
interface Flow {
  readonly number: string;
  renewals: number;
  shown: PairingCode | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** Pairs a page by code instead of QR: one number at a time, whose code is renewed until it is typed. */
export class CodeLinking {
  readonly #dependencies: CodeLinkingDependencies;
  #flow: Flow | undefined;
  /** When codes were requested recently, without renewals. Unix ms. */
  #askedAt: number[] = [];
  /** Requests and renewals, one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(dependencies: CodeLinkingDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * The code for a number, in digits: the current one, if it stays valid for a while. 400 for a number that the network
   * does not accept, 404 if the page is linked meanwhile, 429 after too many codes. Within 40 s, or `outcome_unknown`.
   */
  request(number: string): Promise<PairingCode> {
    return this.#inTurn(() => this.#request(number));
  }

  /** The network requests a new code instead of the current one. */
  renew(): void {
    const flow = this.#flow;
    if (flow?.shown) void this.#inTurn(() => this.#renew(flow));
  }

  /** Returns to the QR. */
  cancel(): void {
    const flow = this.#flow;
    if (flow) void this.#inTurn(() => this.#end(flow));
  }

  /** Forgets the code, without a call to the page: it is linked, reloaded or gone. */
  forget(): void {
    clearTimeout(this.#flow?.timer);
    this.#flow = undefined;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #request(number: string): Promise<PairingCode> {
    const { shown } = this.#flow ?? {};
    const leftMs = Date.parse(shown?.expiresAt ?? '') - Date.now();
    if (shown && this.#flow?.number === number && leftMs > MIN_LEFT_MS) return shown;
    this.#requirePause();
    clearTimeout(this.#flow?.timer);
    const flow: Flow = { number, renewals: 0, shown: undefined, timer: undefined };
    this.#flow = flow;
    this.#dependencies.dispatch({ name: 'code_requested' });
    try {
      return await this.#ask(flow, true);
    } catch (error) {
      await this.#end(flow);
      throw error;
    }
  }

  /** Limits requests: after many, the network refuses for hours, and callers that take turns would never stop. */
  #requirePause(): void {
    const now = Date.now();
    this.#askedAt = this.#askedAt.filter((at) => now - at < PAUSE_MS);
    const [first] = this.#askedAt;
    if (first !== undefined && this.#askedAt.length >= MAX_REQUESTS)
      throw new GatewayError('rate_limited', `${MAX_REQUESTS} codes were requested recently`, {
        retryAfterSeconds: Math.ceil((first + PAUSE_MS - now) / 1_000),
      });
    this.#askedAt.push(now);
  }

  async #renew(flow: Flow): Promise<void> {
    if (this.#flow !== flow) return;
    clearTimeout(flow.timer);
    if (flow.renewals === MAX_RENEWALS) return this.#end(flow);
    flow.renewals += 1;
    try {
      await this.#ask(flow, false);
    } catch (error) {
      if (this.#flow !== flow) return; // Linked meanwhile.
      this.#dependencies.log('warn', 'pairing code not renewed', { error: errorText(error) });
      await this.#end(flow);
    }
  }

  async #ask(flow: Flow, notifiesPhone: boolean): Promise<PairingCode> {
    const askedAt = Date.now();
    const answer = await withDeadline(this.#dependencies.ask(flow.number, notifiesPhone), ASK_TIMEOUT_MS, () => {
      throw new GatewayError('outcome_unknown', `the page returned no code within ${ASK_TIMEOUT_MS / 1_000} s`);
    });
    if (this.#flow !== flow) throw notToBeLinked('it was linked or reloaded before it returned the code');
    if (answer.is === 'typed' && flow.shown) {
      flow.timer = setTimeout(() => this.renew(), TYPED_MS).unref();
      return flow.shown;
    }
    if (answer.is === 'not_unpaired') throw notToBeLinked('it is being linked');
    if (answer.is === 'typed') throw notToBeLinked('its owner has just typed a code');
    if (answer.is === 'refused') throw noCode(answer);
    const code = v.parse(pairingCode, { code: answer.code, expiresAt: new Date(askedAt + CODE_MS).toISOString() });
    flow.shown = code;
    flow.timer = setTimeout(() => this.renew(), askedAt + CODE_MS - Date.now()).unref();
    this.#dependencies.dispatch({ name: 'code', number: flow.number, code });
    return code;
  }

  async #end(flow: Flow): Promise<void> {
    if (this.#flow !== flow) return;
    this.forget();
    this.#dependencies.dispatch({ name: 'code_ended' });
    await resultWithin(this.#dependencies.returnToQr(), RETURN_TIMEOUT_MS);
    this.#dependencies.dispatch({ name: 'back_to_qr' });
  }
}

/** The error for a page that cannot be linked now. */
export function notToBeLinked(why: string): GatewayError {
  return new GatewayError('qr_not_available', `the page cannot be linked: ${why}`);
}

function noCode({ name = 'an error without a name', code }: CodeRefusal): GatewayError {
  if (code === 400)
    return invalidRequest([{ path: 'phoneNumber', message: 'must be a number on the network, with its country code' }]);
  if (code === 429)
    return new GatewayError('rate_limited', `the network has issued too many codes for this number (${name})`, {
      retryAfterSeconds: RATE_LIMIT_SECONDS,
    });
  if (code === 403) return new GatewayError('not_permitted', `the network refuses a code for this number (${name})`);
  return new GatewayError('client_failed', `the page returned no code (${name}): link by QR instead`);
}
