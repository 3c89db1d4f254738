import type { ServerResponse } from 'node:http';
import type { SessionEvent } from '@chat-web/protocol';
import type { Subscriber } from '../sessions/event-hub.ts';

/** What a reader may leave unread, in bytes and in time, before its stream is cut off. */
const MOST_UNREAD_BYTES = 1_048_576;
const DRAIN_TIMEOUT_MS = 5_000;
/** How long a reader who may read no longer gets to take the end. */
const CUT_OFF_TIMEOUT_MS = 500;

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'X-Accel-Buffering': 'no',
};

/**
 * Writes one stream to a response of Node's own: a frame is formatted once for all readers, and what a reader has
 * not taken yet is known, so that a slow one harms nobody but itself.
 */
export class ResponseStream implements Subscriber {
  readonly #response: ServerResponse;
  readonly #showsQr: boolean;
  #drainTimer: NodeJS.Timeout | undefined;

  /** `showsQr`: its reader may link accounts. */
  constructor(response: ServerResponse, { showsQr }: { readonly showsQr: boolean }) {
    this.#response = response;
    this.#showsQr = showsQr;
    response.on('drain', () => this.#drained());
    response.on('close', () => this.#drained());
  }

  /** Sends the head and a first comment, so that the reader knows at once that it is connected. */
  open(): void {
    if (this.#response.headersSent) return;
    this.#response.writeHead(200, HEADERS);
    this.#response.write('retry: 3000\n: connected\n\n');
  }

  takes({ name }: SessionEvent): boolean {
    return this.#showsQr || name !== 'qr';
  }

  write(frame: string): void {
    this.open();
    if (this.#response.writableLength > MOST_UNREAD_BYTES) this.#response.destroy();
    else if (!this.#response.write(frame))
      this.#drainTimer ??= setTimeout(() => this.#response.destroy(), DRAIN_TIMEOUT_MS);
  }

  end(lastFrame: string): void {
    this.open();
    this.#response.end(lastFrame);
  }

  /** Ends the stream although its reader may not have taken all of it: what is left is dropped after half a second. */
  cutOff(why: string): void {
    this.end(`: ${why}\n\n`);
    const timer = setTimeout(() => this.#response.destroy(), CUT_OFF_TIMEOUT_MS);
    this.#response.on('close', () => clearTimeout(timer));
  }

  #drained(): void {
    clearTimeout(this.#drainTimer);
    this.#drainTimer = undefined;
  }
}
