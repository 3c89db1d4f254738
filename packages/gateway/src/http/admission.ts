import { GatewayError } from '@chat-web/protocol';

const RETRY_AFTER_SECONDS = 1;

/** Counts the requests under way for each session, so that one cannot take what the others need. */
export class Admission {
  readonly #mostPerSession: number;
  readonly #bySession = new Map<string, number>();

  constructor(mostPerSession: number) {
    this.#mostPerSession = mostPerSession;
  }

  /** Lets a request in, before its body is read; returns what tells that it is done. 429 where there are too many. */
  enter(sessionId: string): () => void {
    const underWay = this.#bySession.get(sessionId) ?? 0;
    if (underWay >= this.#mostPerSession) {
      throw GatewayError.later(
        'rate_limited',
        `${underWay} requests are under way for this session, and no more may be (CHAT_WEB_MAX_REQUESTS_PER_SESSION)`,
        RETRY_AFTER_SECONDS,
      );
    }
    this.#bySession.set(sessionId, underWay + 1);
    return () => {
      const left = (this.#bySession.get(sessionId) ?? 1) - 1;
      if (left > 0) this.#bySession.set(sessionId, left);
      else this.#bySession.delete(sessionId);
    };
  }
}
