import type { ServerResponse } from 'node:http';
import type { SessionEvent } from '@chat-web/protocol';
import type { Subscriber } from '../sessions/event-hub.ts';

/** Limits for a slow reader: its stream is closed when it has more unread bytes, or does not drain in time. */
const MAX_UNREAD_BYTES = 1_048_576;
const DRAIN_TIMEOUT_MS = 5_000;
/** How long a stream that is cut off may take to end. */
const CUT_OFF_TIMEOUT_MS = 500;

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'X-Accel-Buffering': 'no',
};

/**
 * Writes an event stream to a Node response. Frames are formatted once for all readers. The unread bytes of each reader
 * are known, so that a slow one affects only itself.
 */
export class ResponseStream implements Subscriber {
  readonly #response: ServerResponse;
  readonly #showsQr: boolean;
  /** The frames of this turn of the event loop. */
  #frames = '';
  #drainTimer: NodeJS.Timeout | undefined;

  /** `showsQr`: the reader may link accounts. */
  constructor(response: ServerResponse, { showsQr }: { readonly showsQr: boolean }) {
    this.#response = response;
    this.#showsQr = showsQr;
    response.on('drain', () => this.#drained());
    response.on('close', () => this.#drained());
  }

  /** Sends the headers and a comment, so that the reader knows at once that it is connected. */
  open(): void {
    if (this.#response.headersSent) return;
    this.#response.writeHead(200, HEADERS);
    this.#response.write('retry: 3000\n: connected\n\n');
  }

  takes({ name }: SessionEvent): boolean {
    return this.#showsQr || name !== 'qr';
  }

  /** The frames of what arrived at once are written together, and before any answer to a later request. */
  write(frame: string): void {
    this.open();
    if (this.#frames === '') process.nextTick(() => this.#flush());
    this.#frames += frame;
  }

  end(lastFrame: string): void {
    if (this.#response.writableEnded) return; // A stalled stream that has ended may be cut off before it closes.
    this.open();
    this.#response.end(this.#frames + lastFrame);
    this.#frames = '';
  }

  /** Ends the stream, and drops whatever the reader has not read within half a second. */
  cutOff(why: string): void {
    this.end(`: ${why}\n\n`);
    const timer = setTimeout(() => this.#response.destroy(), CUT_OFF_TIMEOUT_MS);
    this.#response.on('close', () => clearTimeout(timer));
  }

  #flush(): void {
    const frames = this.#frames;
    if (frames === '' || this.#response.destroyed || this.#response.writableEnded) return; // It has ended meanwhile.
    this.#frames = '';
    if (this.#response.writableLength > MAX_UNREAD_BYTES) this.#response.destroy();
    else if (!this.#response.write(frames))
      this.#drainTimer ??= setTimeout(() => this.#response.destroy(), DRAIN_TIMEOUT_MS);
  }

  #drained(): void {
    clearTimeout(this.#drainTimer);
    this.#drainTimer = undefined;
  }
}
