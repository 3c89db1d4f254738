import { errorText, GatewayError, invalidRequest, type PairingCode, pairingCode } from '@chat-web/protocol';
import * as v from 'valibot';
import type { CodeAnswer, CodeRefusal } from '../page/linking.ts';
import { inTime, withDeadline } from './in-time.ts';
import type { Log } from './port.ts';

/** The page takes no code that is older. */
const CODE_MS = 180_000;
/** A code with less time left is not worth showing again. */
const LEAST_LEFT_MS = 20_000;
/** How long the page waits for the link once a code was typed. */
export const TYPED_MS = 60_000;
/**
 * The page's own screen renews a code five times. After some seven codes the network refuses a number for hours:
 * whoever has not typed one of three asks again.
 */
const MOST_RENEWALS = 2;
const ASK_TIMEOUT_MS = 20_000;
/** Codes that may be asked for in a while, renewals apart. */
const MOST_REQUESTS = 6;
const PAUSE_MS = 600_000;
const RETURN_TIMEOUT_MS = 10_000;
/** The network does not say how long it refuses a number. Hours are reported. */
const RATE_LIMIT_SECONDS = 3_600;

/** What pairing by code needs of the page, and who is told. */
export interface CodeLinkingParts {
  /** Requests a code for the owner of a number. May hang. */
  ask(number: string, notifiesPhone: boolean): Promise<CodeAnswer>;
  /** Makes the page linkable by its QR again. May hang. */
  returnToQr(): Promise<void>;
  /** The page drops the secret of its QR, or the code that it has. */
  onVoid(): void;
  onCode(number: string, code: PairingCode): void;
  /** There is no code any more, and the page was told so. */
  onOver(): void;
  readonly log: Log;
}

/** A number for which a code was asked. */
interface Flow {
  readonly number: string;
  renewals: number;
  shown: PairingCode | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** Pairs a page by codes instead of its QR: one number at a time, whose code is renewed until it was typed. */
export class CodeLinking {
  readonly #parts: CodeLinkingParts;
  #flow: Flow | undefined;
  /** When codes were asked for of late, renewals apart. Unix ms. */
  #askedAt: number[] = [];
  /** Requests and renewals, one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: CodeLinkingParts) {
    this.#parts = parts;
  }

  /** True while a code is asked for, or can be typed: the QR of the page is void. */
  get isActive(): boolean {
    return this.#flow !== undefined;
  }

  /**
   * The code for a number, in digits: the present one, if it holds for a while. 400 for a number that the network does not
   * take, 404 if the page is linked meanwhile, 429 if the network has given too many. Within 40 s, or `outcome_unknown`.
   */
  request(number: string): Promise<PairingCode> {
    return this.#inTurn(() => this.#request(number));
  }

  /** The network wants another code in the place of the present one. */
  renew(): void {
    const flow = this.#flow;
    if (flow?.shown) void this.#inTurn(() => this.#renew(flow));
  }

  /** Back to the QR. */
  cancel(): void {
    const flow = this.#flow;
    if (flow) void this.#inTurn(() => this.#end(flow));
  }

  /** The page is linked, loaded again or gone: its codes are void, and it shows what it shows by itself. */
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
    if (shown && this.#flow?.number === number && leftMs > LEAST_LEFT_MS) return shown;
    this.#requirePause();
    clearTimeout(this.#flow?.timer);
    const flow: Flow = { number, renewals: 0, shown: undefined, timer: undefined };
    this.#flow = flow;
    this.#parts.onVoid();
    try {
      return await this.#ask(flow, true);
    } catch (error) {
      await this.#end(flow);
      throw error;
    }
  }

  /** The network refuses for hours whoever asks for many; callers that take turns would ask for ever. */
  #requirePause(): void {
    const now = Date.now();
    this.#askedAt = this.#askedAt.filter((at) => now - at < PAUSE_MS);
    const [first] = this.#askedAt;
    if (first !== undefined && this.#askedAt.length >= MOST_REQUESTS)
      throw new GatewayError('rate_limited', `${MOST_REQUESTS} codes were asked for of late`, {
        retryAfterSeconds: Math.ceil((first + PAUSE_MS - now) / 1_000),
      });
    this.#askedAt.push(now);
  }

  async #renew(flow: Flow): Promise<void> {
    if (this.#flow !== flow) return;
    clearTimeout(flow.timer);
    if (flow.renewals === MOST_RENEWALS) return this.#end(flow);
    flow.renewals += 1;
    try {
      await this.#ask(flow, false);
    } catch (error) {
      if (this.#flow !== flow) return; // Linked meanwhile.
      this.#parts.log('warn', 'pairing code not renewed', { error: errorText(error) });
      await this.#end(flow);
    }
  }

  async #ask(flow: Flow, notifiesPhone: boolean): Promise<PairingCode> {
    const askedAt = Date.now();
    const answer = await withDeadline(this.#parts.ask(flow.number, notifiesPhone), ASK_TIMEOUT_MS, () => {
      throw new GatewayError('outcome_unknown', `the page gave no code within ${ASK_TIMEOUT_MS / 1_000} s`);
    });
    if (this.#flow !== flow) throw notToBeLinked('it was linked or loaded again before the code came');
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
    this.#parts.onCode(flow.number, code);
    return code;
  }

  async #end(flow: Flow): Promise<void> {
    if (this.#flow !== flow) return;
    this.forget();
    this.#parts.onVoid();
    await inTime(this.#parts.returnToQr(), RETURN_TIMEOUT_MS);
    this.#parts.onOver();
  }
}

/** The error for a page that cannot be linked now. */
export function notToBeLinked(why: string): GatewayError {
  return new GatewayError('qr_not_available', `the page is not to be linked: ${why}`);
}

function noCode({ name = 'an error without a name', code }: CodeRefusal): GatewayError {
  if (code === 400)
    return invalidRequest([{ path: 'phoneNumber', message: 'must be a number of the network, with its country code' }]);
  if (code === 429)
    return new GatewayError('rate_limited', `the network has given too many codes for this number (${name})`, {
      retryAfterSeconds: RATE_LIMIT_SECONDS,
    });
  if (code === 403) return new GatewayError('not_permitted', `the network gives this number no code (${name})`);
  return new GatewayError('client_failed', `the page gave no code (${name}): link by QR instead`);
}
