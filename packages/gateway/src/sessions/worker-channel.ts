import type { Readable, Writable } from 'node:stream';
import {
  ChannelError,
  decodeMessage,
  encodeMessage,
  type GatewayMessage,
  LineTooLongError,
  LONGEST_MESSAGE,
  messageReader,
} from '@chat-web/protocol';
import { Budget } from '../budget.ts';
import type { Log } from '../log.ts';

/** Our ends of a worker's sockets. */
export interface ChannelSockets {
  readonly fromWorker: Readable;
  readonly toWorker: Writable;
}

/** Told of what comes over a channel. */
export interface ChannelListener {
  /** A message, whatever it says, and how long it was. Returns what it takes from the budget. */
  onMessage(message: unknown, bytes: number): number;
  /** The worker has broken the rules of the channel, which is closed now: a clause, of what it did. Told once. */
  onBroken(did: string): void;
}

/**
 * What a worker may send that nobody asked it for. A message costs 1, and 1 for each KB: for 10 s, an account may get
 * 5,000 messages of 1 KB a second, and half of that for ever. A browser hands on a few hundred.
 */
const BUDGET = { burst: 50_000, perSecond: 5_000 };
/** What waits for a worker that does not read. */
const MOST_WAITING_BYTES = 8 * 1_048_576;
/** A worker that has taken so long of one turn of the event loop waits three times as long: others have work, too. */
const SLICE_MS = 5;
const REST_FACTOR = 3;
const LONGEST_REST_MS = 250;

/**
 * The gateway's end of the channel to one worker: a socket for each direction, one JSON message on each line. It is read here, not by
 * Node: Node's own reader throws where nothing can catch it, and buffers without a limit. Nothing that a worker sends
 * throws: whoever breaks the rules is cut off.
 */
export class WorkerChannel {
  readonly #sockets: ChannelSockets;
  readonly #log: Log;
  readonly #listener: ChannelListener;
  readonly #reader = messageReader();
  readonly #budget = new Budget(BUDGET);
  /** What this worker has taken of the present turn of the event loop, in milliseconds; undefined: nothing yet. */
  #spentMs: number | undefined;
  #rest: NodeJS.Timeout | undefined;
  #isOver = false;
  #isClosed = false;
  #isHurried = false;
  #end = () => {};
  /** Resolves when all that has come was read, and nothing will come any more. */
  readonly ended = new Promise<void>((resolve) => {
    this.#end = resolve;
  });

  constructor(sockets: ChannelSockets, log: Log, listener: ChannelListener) {
    this.#sockets = sockets;
    this.#log = log;
    this.#listener = listener;
    const { fromWorker, toWorker } = sockets;
    fromWorker.once('close', () => {
      this.#isClosed = true;
      if (!this.#rest) this.#end();
    });
    for (const socket of [fromWorker, toWorker])
      socket.on('error', (error) => log.debug({ error: error.message }, 'worker channel failed'));
    fromWorker.on('data', (chunk: Buffer) => this.#receive(chunk));
  }

  /** Sends a message. False where too much waits for this worker already: it has not been sent then. */
  send(message: GatewayMessage): boolean {
    if (this.#isOver) return true; // Whoever waits for an answer is told otherwise.
    const { toWorker } = this.#sockets;
    const line = encodeMessage(message);
    if (toWorker.writableLength + line.length > MOST_WAITING_BYTES) return false;
    toWorker.write(line);
    return true;
  }

  /** The worker is gone: what it has said last is read without rests. */
  hurry(): void {
    this.#isHurried = true;
    if (!this.#rest) return;
    clearTimeout(this.#rest);
    this.#resume();
  }

  /** Nothing is read or sent any more. */
  close(): void {
    this.#isOver = true;
    clearTimeout(this.#rest);
    this.#sockets.fromWorker.destroy();
    this.#sockets.toWorker.destroy();
    this.#end();
  }

  #receive(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#reader.feed(chunk);
    if (this.#readOn() === 0) this.#charge(1); // Drop by drop is expensive, too.
  }

  /** Reads the lines that are there, as far as this turn of the event loop allows. Returns how many. */
  #readOn(): number {
    for (let lines = 0; ; lines += 1) {
      const startedAt = performance.now();
      if (this.#isOver || !this.#readLine()) return lines;
      this.#spend(performance.now() - startedAt);
      if (this.#rest) return lines + 1;
    }
  }

  /** False where there is no whole line. */
  #readLine(): boolean {
    try {
      const line = this.#reader.next();
      if (line === undefined) return false;
      this.#charge(this.#listener.onMessage(decodeMessage(line), line.length));
      return true;
    } catch (error) {
      if (error instanceof ChannelError) this.#break(`a message ${error.message}`);
      else if (error instanceof LineTooLongError) this.#break(`a message of more than ${LONGEST_MESSAGE}`);
      else {
        this.#log.error({ err: error }, 'worker message not handled');
        this.#break('a message that could not be handled');
      }
      return false;
    }
  }

  #charge(units: number): void {
    if (this.#isOver || this.#budget.take(units)) return;
    this.#break(`more messages than it may (${BUDGET.burst} at once, ${BUDGET.perSecond} a second)`);
  }

  #spend(ms: number): void {
    if (this.#spentMs === undefined) {
      this.#spentMs = 0;
      setImmediate(() => {
        this.#spentMs = undefined;
      });
    }
    this.#spentMs += ms;
    if (this.#spentMs < SLICE_MS || this.#isOver || this.#rest) return;
    this.#sockets.fromWorker.pause();
    const restMs = this.#isHurried ? 0 : Math.min(LONGEST_REST_MS, REST_FACTOR * this.#spentMs);
    this.#rest = setTimeout(() => this.#resume(), restMs);
  }

  #resume(): void {
    this.#rest = undefined;
    this.#readOn();
    if (this.#rest || this.#isOver) return;
    if (this.#isClosed) this.#end();
    else this.#sockets.fromWorker.resume();
  }

  #break(what: string): void {
    if (this.#isOver) return;
    this.close();
    this.#listener.onBroken(`sent ${what}`);
  }
}
