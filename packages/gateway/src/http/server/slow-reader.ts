import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A reader must read this many bytes in any `ticks` consecutive ticks. */
interface ReadingLimits {
  readonly tickMs: number;
  readonly ticks: number;
  readonly bytes: number;
}

/**
 * 1 MB in 2 minutes. The kernel buffers more than a megabyte at a time, so that shorter intervals or fewer bytes cannot
 * be measured: a reader at 16 KB/s takes 90 s for one buffer.
 */
const LIMITS: ReadingLimits = { tickMs: 30_000, ticks: 4, bytes: 1_000_000 };

/**
 * Closes the connections of clients that read a response too slowly: they would occupy the spool or memory
 * indefinitely. One timer checks all open responses; it stops with the last of them.
 */
export class SlowReaders {
  readonly #limits: ReadingLimits;
  /** For each open response, the bytes that its reader had taken at the last ticks, since it last had everything. */
  readonly #taken = new Map<ServerResponse, number[]>();
  /** One function for all responses, since every request is watched. */
  readonly #forget: (this: ServerResponse) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits = LIMITS) {
    this.#limits = limits;
    const taken = this.#taken;
    this.#forget = function () {
      taken.delete(this);
    };
  }

  watch(response: ServerResponse): void {
    if (!response.socket) {
      // It waits for the response before it on the connection. If the connection closes meanwhile, no event is emitted.
      response.once('socket', () => this.watch(response));
      return;
    }
    this.#taken.set(response, []);
    response.on('close', this.#forget);
    // After a pause of this process, pending writes must be counted first.
    this.#timer ??= setInterval(() => setImmediate(() => this.#checkAll()), this.#limits.tickMs).unref();
  }

  #checkAll(): void {
    if (this.#taken.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    for (const [{ socket }, taken] of this.#taken) if (socket) this.#check(socket, taken);
  }

  #check(socket: Socket, taken: number[]): void {
    const { ticks, bytes } = this.#limits;
    const now = socket.bytesWritten - socket.writableLength;
    if (socket.writableLength === 0) taken.length = 0;
    else if (taken.length === ticks && now - (taken.shift() ?? now) < bytes) socket.destroy();
    taken.push(now);
  }
}
