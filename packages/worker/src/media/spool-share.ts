import { GatewayError } from '@chat-web/protocol';

/** What one file takes of the share. */
export interface Hold {
  /**
   * So many bytes more are going to be written. `rate_limited` while there is no room for them; `media_unavailable` where
   * there never will be.
   */
  add(bytes: number): void;
  /** The file is gone, or is the gateway's. A second call does nothing. */
  release(): void;
}

const MB = 1_048_576;
const RETRY_AFTER_SECONDS = 5;

/** What a session may have in its spool folder at a time. */
export class SpoolShare {
  readonly #mostBytes: number;
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** Counts one file. */
  hold(): Hold {
    let held = 0;
    return {
      add: (bytes) => {
        const most = `${Math.floor(this.#mostBytes / MB)} MB (CHAT_WEB_SPOOL_SESSION_MAX_MB)`;
        if (held + bytes > this.#mostBytes)
          throw new GatewayError('media_unavailable', `the file has more than ${most}`);
        if (this.#bytes + bytes > this.#mostBytes) {
          const text = `files on their way to and from this session may take ${most} at a time`;
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
