import { Counts, GatewayError } from '@chat-web/protocol';

const RETRY_AFTER_SECONDS = 1;

export interface AdmissionLimits {
  readonly maxRequestsPerSession: number;
  readonly maxRequestsPerKey: number;
}

/** The shares of what a session may have in progress: of one key, and of all keys. The rest is for the operator. */
const SHARE_OF_KEY = 0.75;
const SHARE_OF_KEYS = 0.9;

/** What is counted, and its limit. */
interface RequestLimit {
  readonly name: string;
  readonly max: number;
  readonly whose: string;
  readonly setting: 'PER_SESSION' | 'PER_KEY';
}

/** Limits the requests in progress per session and per key, so that none can starve the others. */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #inProgress = new Counts();

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  /**
   * Admits a request before its body is read. Returns a function to call when the request is done; undefined if it is
   * not counted. `rate_limited` if there are too many. `sessionId`: undefined if no worker is needed; `keyId`:
   * undefined for the operator.
   */
  enter(sessionId: string | undefined, keyId: string | undefined): (() => void) | undefined {
    if (sessionId === undefined && keyId === undefined) return undefined;
    const limits = this.#limitsOf(sessionId, keyId);
    for (const limit of limits) this.#requireRoom(limit);
    for (const { name } of limits) this.#inProgress.add(name, 1);
    return () => {
      for (const { name } of limits) this.#inProgress.add(name, -1);
    };
  }

  #limitsOf(sessionId: string | undefined, keyId: string | undefined): RequestLimit[] {
    const { maxRequestsPerSession, maxRequestsPerKey } = this.#limits;
    const limits: RequestLimit[] = [];
    const ofSession = (name: string, share: number, whose: string) =>
      limits.push({ name, max: Math.ceil(maxRequestsPerSession * share), whose, setting: 'PER_SESSION' });
    if (sessionId !== undefined) ofSession(`session ${sessionId}`, 1, 'for this session');
    if (sessionId !== undefined && keyId !== undefined) {
      ofSession(`session ${sessionId} with keys`, SHARE_OF_KEYS, 'for this session with keys');
      ofSession(`session ${sessionId} with key ${keyId}`, SHARE_OF_KEY, 'for this session with this key');
    }
    if (keyId !== undefined)
      limits.push({ name: `key ${keyId}`, max: maxRequestsPerKey, whose: 'with this key', setting: 'PER_KEY' });
    return limits;
  }

  #requireRoom({ name, max, whose, setting }: RequestLimit): void {
    const inProgress = this.#inProgress.of(name);
    if (inProgress < max) return;
    throw new GatewayError(
      'rate_limited',
      `${inProgress} requests are in progress ${whose}, which is the limit (CHAT_WEB_MAX_REQUESTS_${setting})`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
  }
}
