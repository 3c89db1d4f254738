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
/** Of the total, for one key with many sessions. */
const SHARE_OF_KEY = 0.5;
const MB = 1_048_576;

export class SpoolQuota {
  readonly #limits: QuotaLimits;
  /** By session, and by key. */
  readonly #bySession = new Map<string, number>();
  readonly #byKey = new Map<string, number>();
  #bytes = 0;

  constructor(limits: QuotaLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Throws if the bytes do not fit: 429 if the quota of the session or of the caller's key is exceeded, 503 if the total
   * quota is.
   */
  assertRoom(sessionId: string, keyId?: string, bytes = 1): void {
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
    // A session has its quota, whoever uses it.
    const maxOfKey = Math.max(spoolSessionMaxBytes, spoolMaxBytes * SHARE_OF_KEY);
    if (keyId !== undefined && (this.#byKey.get(keyId) ?? 0) + bytes > maxOfKey)
      throw new GatewayError(
        'rate_limited',
        `uploads and downloads with this key exceed its share of the quota of all sessions (CHAT_WEB_SPOOL_MAX_MB)`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
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
  reserve(sessionId: string, keyId?: string): Reservation {
    let reserved = 0;
    const count = (bytes: number) => {
      reserved += bytes;
      this.#bytes += bytes;
      add(this.#bySession, sessionId, bytes);
      if (keyId !== undefined) add(this.#byKey, keyId, bytes);
    };
    return {
      add: (bytes) => {
        this.assertRoom(sessionId, keyId, bytes);
        count(bytes);
      },
      release: () => count(-reserved),
    };
  }
}

function add(counts: Map<string, number>, name: string, bytes: number): void {
  const all = (counts.get(name) ?? 0) + bytes;
  if (all > 0) counts.set(name, all);
  else counts.delete(name);
}
