import { GatewayError } from '@chat-web/protocol';

/** What one file takes of the share. */
export interface Hold {
  /**
   * So many bytes more are going to be written. `rate_limited` while there is no room for them; `media_unavailable` where
   * there never will be.
   */
  add(bytes: number): void;
  /** The file is gone, or is the gateway's. */
  release(): void;
}

const MB = 1_048_576;

/** What a session may have in its spool folder at a time. */
export class SpoolShare {
  readonly #mostBytes: number;
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** The books of a file that is going to be written. */
  hold(): Hold {
    let held = 0;
    return {
      add: (bytes) => {
        const most = `${Math.floor(this.#mostBytes / MB)} MB (CHAT_WEB_SPOOL_SESSION_MAX_MB)`;
        if (held + bytes > this.#mostBytes)
          throw new GatewayError('media_unavailable', `the file has more than ${most}`);
        if (this.#bytes + bytes > this.#mostBytes)
          throw new GatewayError(
            'rate_limited',
            `files on their way to and from this session may take ${most} at a time`,
          );
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
