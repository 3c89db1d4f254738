import { Counts, GatewayError, MB } from '@chat-web/protocol';
import { maxOpenFiles } from '../host/open-files.ts';

export interface QuotaLimits {
  readonly spoolMaxBytes: number;
  readonly spoolSessionMaxBytes: number;
}

/** The space that one file takes in the spool. */
export interface Reservation {
  /** Throws like `requireRoom`. */
  add(bytes: number): void;
  /** Call when the file is closed. Further calls do nothing. */
  close(): void;
  /** Call when the file is removed. Further calls do nothing. Closes it, too. */
  release(): void;
}

const RETRY_AFTER_SECONDS = 5;
/** Of the total, for one key with many sessions. */
const SHARE_OF_KEY = 0.5;
/** Of the files that this process may have open. */
const SHARE_OF_OPEN_FILES = 0.125;

export class SpoolQuota {
  readonly #limits: QuotaLimits;
  /** By session, and by key. */
  readonly #bySession = new Counts();
  readonly #byKey = new Counts();
  #bytes = 0;
  readonly #maxFiles: number;
  readonly #filesByKey = new Counts();
  #openFiles = 0;

  constructor(limits: QuotaLimits, maxFiles = Math.floor(maxOpenFiles() * SHARE_OF_OPEN_FILES)) {
    this.#limits = limits;
    this.#maxFiles = maxFiles;
  }

  get openFiles(): number {
    return this.#openFiles;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Throws if there is no room for another file: 429 if the quota of the session or of the caller's key is exceeded, 503
   * if the total quota is.
   */
  requireRoom(sessionId: string, keyId?: string): void {
    this.#requireFits(sessionId, keyId, 1);
    const ofKey = keyId === undefined ? 0 : this.#filesByKey.of(keyId);
    if (ofKey >= this.#maxFiles * SHARE_OF_KEY) throw tooManyFiles('rate_limited', 'with this key');
    if (this.#openFiles >= this.#maxFiles) throw tooManyFiles('insufficient_resources', 'of all sessions');
  }

  #requireFits(sessionId: string, keyId: string | undefined, bytes: number): void {
    const { spoolMaxBytes, spoolSessionMaxBytes } = this.#limits;
    const ofSession = this.#bySession.of(sessionId);
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
    if (keyId !== undefined && this.#byKey.of(keyId) + bytes > maxOfKey)
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

  /** A reservation for one open file of a session, empty at first. */
  reserve(sessionId: string, keyId?: string): Reservation {
    let reserved = 0;
    let isOpen = true;
    const countFile = (files: number) => {
      this.#openFiles += files;
      if (keyId !== undefined) this.#filesByKey.add(keyId, files);
    };
    const close = () => {
      if (isOpen) countFile(-1);
      isOpen = false;
    };
    countFile(1);
    const count = (bytes: number) => {
      reserved += bytes;
      this.#bytes += bytes;
      this.#bySession.add(sessionId, bytes);
      if (keyId !== undefined) this.#byKey.add(keyId, bytes);
    };
    return {
      add: (bytes) => {
        this.#requireFits(sessionId, keyId, bytes);
        count(bytes);
      },
      close,
      release: () => {
        close();
        count(-reserved);
      },
    };
  }
}

function tooManyFiles(code: 'rate_limited' | 'insufficient_resources', whose: string): GatewayError {
  return new GatewayError(code, `too many uploads and downloads ${whose} are in progress`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
