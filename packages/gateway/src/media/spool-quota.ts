import { GatewayError } from '@chat-web/protocol';

/** How much may lie in the spool, in bytes: in all, and of a session. */
export interface QuotaLimits {
  readonly spoolMaxBytes: number;
  readonly spoolSessionMaxBytes: number;
}

/** What one file takes of the spool. */
export interface Hold {
  /** Throws as `assertRoom`. */
  add(bytes: number): void;
  /** The file is gone. A second call does nothing. */
  release(): void;
}

const RETRY_AFTER_SECONDS = 5;
const MB = 1_048_576;

/** Counts the bytes in the spool, in all and for each session. */
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

  /** Throws where there is no room for so many bytes more: 429 for the share of the session, 503 for the whole. */
  assertRoom(sessionId: string, bytes = 1): void {
    const { spoolMaxBytes, spoolSessionMaxBytes } = this.#limits;
    const ofSession = this.#bySession.get(sessionId) ?? 0;
    if (ofSession + bytes > spoolSessionMaxBytes) {
      const most = `${Math.floor(spoolSessionMaxBytes / MB)} MB (CHAT_WEB_SPOOL_SESSION_MAX_MB)`;
      throw new GatewayError(
        'rate_limited',
        `files on their way to and from session ${sessionId} may take ${most} at a time`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    }
    if (this.#bytes + bytes > spoolMaxBytes) {
      const most = `${Math.floor(spoolMaxBytes / MB)} MB (CHAT_WEB_SPOOL_MAX_MB)`;
      throw new GatewayError(
        'insufficient_resources',
        `files on their way to and from all sessions may take ${most} at a time`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    }
  }

  /** Counts one file of a session. */
  hold(sessionId: string): Hold {
    let held = 0;
    return {
      add: (bytes) => {
        this.assertRoom(sessionId, bytes);
        held += bytes;
        this.#count(sessionId, bytes);
      },
      release: () => {
        this.#count(sessionId, -held);
        held = 0;
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
