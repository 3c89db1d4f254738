import { GatewayError } from '@chat-web/protocol';

export interface QuotaLimits {
  readonly spoolMaxBytes: number;
  readonly spoolSessionMaxBytes: number;
}

/** The space that one file takes in the spool. */
export interface Reservation {
  /** Throws like `assertRoom`. */
  add(bytes: number): void;
  /** Call when the file is removed. Further calls do nothing. */
  release(): void;
}

const RETRY_AFTER_SECONDS = 5;
const MB = 1_048_576;

export class SpoolQuota {
  readonly #limits: QuotaLimits;
  readonly #bySession = new Map<string, number>();
  #bytes = 0;

  constructor(limits: QuotaLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Throws if the bytes do not fit: 429 if the session's quota is exceeded, 503 if the total quota is. */
  assertRoom(sessionId: string, bytes = 1): void {
    const { spoolMaxBytes, spoolSessionMaxBytes } = this.#limits;
    const ofSession = this.#bySession.get(sessionId) ?? 0;
    if (ofSession + bytes > spoolSessionMaxBytes) {
      const quota = `${Math.floor(spoolSessionMaxBytes / MB)} MB (CHAT_WEB_SPOOL_SESSION_MAX_MB)`;
      throw new GatewayError(
        'rate_limited',
        `uploads and downloads of session ${sessionId} exceed the quota of ${quota}`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    }
    if (this.#bytes + bytes > spoolMaxBytes) {
      const quota = `${Math.floor(spoolMaxBytes / MB)} MB (CHAT_WEB_SPOOL_MAX_MB)`;
      throw new GatewayError(
        'insufficient_resources',
        `uploads and downloads of all sessions exceed the quota of ${quota}`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    }
  }

  /** A reservation for one file of a session, empty at first. */
  reserve(sessionId: string): Reservation {
    let reserved = 0;
    return {
      add: (bytes) => {
        this.assertRoom(sessionId, bytes);
        reserved += bytes;
        this.#count(sessionId, bytes);
      },
      release: () => {
        this.#count(sessionId, -reserved);
        reserved = 0;
      },
    };
  }

  #count(sessionId: string, bytes: number): void {
    this.#bytes += bytes;
    const ofSession = (this.#bySession.get(sessionId) ?? 0) + bytes;
    if (ofSession > 0) this.#bySession.set(sessionId, ofSession);
    else this.#bySession.delete(sessionId);
  }
}
