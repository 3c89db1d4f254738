import { GatewayError } from '@chat-web/protocol';

const RETRY_AFTER_SECONDS = 1;

/** How many requests may be under way. */
export interface AdmissionLimits {
  readonly maxRequestsPerSession: number;
  readonly maxRequestsPerKey: number;
}

/** Counts the requests under way for each session and by each key, so that none can take what the others need. */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #underWay = new Map<string, number>();

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  /**
   * Lets a request in, before its body is read; returns what tells that it is done. 429 where there are too many.
   * `sessionId`: absent where it needs no worker; `keyId`: absent for the operator.
   */
  enter(sessionId: string | undefined, keyId: string | undefined): () => void {
    const { maxRequestsPerSession, maxRequestsPerKey } = this.#limits;
    const counted: string[] = [];
    if (sessionId !== undefined) {
      counted.push(`session ${sessionId}`);
      this.#assertRoom(`session ${sessionId}`, maxRequestsPerSession, 'for this session', 'PER_SESSION');
    }
    if (keyId !== undefined) {
      counted.push(`key ${keyId}`);
      this.#assertRoom(`key ${keyId}`, maxRequestsPerKey, 'by this key', 'PER_KEY');
    }
    for (const place of counted) this.#count(place, 1);
    return () => {
      for (const place of counted) this.#count(place, -1);
    };
  }

  #assertRoom(place: string, most: number, whose: string, setting: 'PER_SESSION' | 'PER_KEY'): void {
    const underWay = this.#underWay.get(place) ?? 0;
    if (underWay < most) return;
    throw new GatewayError(
      'rate_limited',
      `${underWay} requests are under way ${whose}, and no more may be (CHAT_WEB_MAX_REQUESTS_${setting})`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
  }

  #count(place: string, change: number): void {
    const underWay = (this.#underWay.get(place) ?? 0) + change;
    if (underWay > 0) this.#underWay.set(place, underWay);
    else this.#underWay.delete(place);
  }
}
