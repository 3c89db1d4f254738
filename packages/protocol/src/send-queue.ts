/** Writes one message to a channel; `written` is called when it has left this process's memory, or cannot. */
export type Write<M> = (message: M, written: () => void) => void;

/** How many messages may be between us and the other process at once. */
const WINDOW = 64;

/**
 * Hands messages to an IPC channel in order, a bounded number at a time: Node buffers what the other side does not
 * read, without limit. What waits here is bounded by the callers' time limits, and dropped when the channel closes.
 */
export class SendQueue<M> {
  readonly #write: Write<M>;
  readonly #waiting: M[] = [];
  #inFlight = 0;
  #closed = false;

  constructor(write: Write<M>) {
    this.#write = write;
  }

  send(message: M): void {
    if (this.#closed) return;
    this.#waiting.push(message);
    this.#pump();
  }

  close(): void {
    this.#closed = true;
    this.#waiting.length = 0;
  }

  #pump(): void {
    while (!this.#closed && this.#inFlight < WINDOW) {
      const message = this.#waiting.shift();
      if (message === undefined) return;
      this.#inFlight += 1;
      this.#write(message, () => {
        this.#inFlight -= 1;
        this.#pump();
      });
    }
  }
}
