import { GatewayError, MB } from '@chat-web/protocol';

/** The part of the share that one file uses. */
export interface Hold {
  /**
   * Reserves space for more bytes before they are written. Throws `rate_limited` while there is no space, and
   * `media_unavailable` if the file is larger than the whole share.
   */
  add(bytes: number): void;
  /** The file is removed, or handed to the gateway. A second call does nothing. */
  release(): void;
}

const RETRY_AFTER_SECONDS = 5;

/** Limits how many bytes a session has in its spool folder at a time. */
export class SpoolShare {
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  hold(): Hold {
    let held = 0;
    return {
      add: (bytes) => {
        const max = `${Math.floor(this.#maxBytes / MB)} MB (CHAT_WEB_SPOOL_SESSION_MAX_MB)`;
        if (held + bytes > this.#maxBytes)
          throw new GatewayError('media_unavailable', `the file is larger than ${max}`);
        if (this.#bytes + bytes > this.#maxBytes) {
          const text = `files being sent and received by this session may use ${max} at a time`;
          throw new GatewayError('rate_limited', text, { retryAfterSeconds: RETRY_AFTER_SECONDS });
        }
        held += bytes;
        this.#bytes += bytes;
      },
      release: () => {
        this.#bytes -= held;
        held = 0;
      },
    };
  }
}
