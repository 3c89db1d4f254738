import { GatewayError } from '@chat-web/protocol';

const RETRY_AFTER_SECONDS = 1;

export interface AdmissionLimits {
  readonly maxRequestsPerSession: number;
  readonly maxRequestsPerKey: number;
}

/** Limits the requests in progress per session and per key, so that none can starve the others. */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #inProgress = new Map<string, number>();

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
    const { maxRequestsPerSession, maxRequestsPerKey } = this.#limits;
    const counted: string[] = [];
    if (sessionId !== undefined) {
      counted.push(`session ${sessionId}`);
      this.#assertRoom(`session ${sessionId}`, maxRequestsPerSession, 'for this session', 'PER_SESSION');
    }
    if (keyId !== undefined) {
      counted.push(`key ${keyId}`);
      this.#assertRoom(`key ${keyId}`, maxRequestsPerKey, 'with this key', 'PER_KEY');
    }
    for (const place of counted) this.#count(place, 1);
    return () => {
      for (const place of counted) this.#count(place, -1);
    };
  }

  #assertRoom(place: string, max: number, whose: string, setting: 'PER_SESSION' | 'PER_KEY'): void {
    const inProgress = this.#inProgress.get(place) ?? 0;
    if (inProgress < max) return;
    throw new GatewayError(
      'rate_limited',
      `${inProgress} requests are in progress ${whose}, which is the limit (CHAT_WEB_MAX_REQUESTS_${setting})`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
  }

  #count(place: string, change: number): void {
    const inProgress = (this.#inProgress.get(place) ?? 0) + change;
    if (inProgress > 0) this.#inProgress.set(place, inProgress);
    else this.#inProgress.delete(place);
  }
}
