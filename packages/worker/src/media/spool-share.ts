import { GatewayError } from '@chat-web/protocol';

const MB = 1_048_576;

/** What a session may have in its spool folder at a time, before the gateway takes it over. */
export class SpoolShare {
  readonly #mostBytes: number;
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /**
   * Runs what writes a file of this size. `rate_limited` while there is no room for it; `media_unavailable` where there
   * never will be.
   */
  async hold<R>(bytes: number, work: () => Promise<R>): Promise<R> {
    const most = `${Math.floor(this.#mostBytes / MB)} MB (CHAT_WEB_SPOOL_SESSION_MAX_MB)`;
    if (bytes > this.#mostBytes)
      throw new GatewayError('media_unavailable', `the file has ${Math.ceil(bytes / MB)} MB, more than ${most}`);
    if (this.#bytes + bytes > this.#mostBytes)
      throw new GatewayError('rate_limited', `files on their way from this session may take ${most} at a time`);
    this.#bytes += bytes;
    try {
      return await work();
    } finally {
      this.#bytes -= bytes;
    }
  }
}
