import type { Readable, Writable } from 'node:stream';
import {
  ChannelError,
  decodeMessage,
  deferred,
  encodeMessage,
  type GatewayMessage,
  LineTooLongError,
  MAX_MESSAGE_LENGTH,
  messageReader,
} from '@chat-web/protocol';
import { Budget } from '../budget.ts';
import { corkTurn } from '../event-loop.ts';
import type { Log } from '../log.ts';

export interface ChannelSockets {
  readonly fromWorker: Readable;
  readonly toWorker: Writable;
}

export interface ChannelListener {
  /** A message, not validated, and its length. Returns its cost. */
  onMessage(message: unknown, bytes: number): number;
  /** The worker broke a rule, and the channel is closed: a clause that names the violation. Called once. */
  onBroken(did: string): void;
}

/**
 * The rate limit of unsolicited messages. A message costs 1, plus 1 per KB: an account may receive 5,000 messages of 1
 * KB a second for 10 s, and half of that indefinitely. A browser delivers a few hundred.
 */
const BUDGET = { burst: 50_000, perSecond: 5_000 };
/** The most that is buffered for a worker that does not read. */
const MAX_WAITING_BYTES = 8 * 1_048_576;
/**
 * A worker that has used this much of one turn of the event loop pauses three times as long, so that others get theirs.
 */
const SLICE_MS = 5;
const REST_FACTOR = 3;
const MAX_REST_MS = 250;

/** The current turn of the event loop, and what a worker has used of it. */
interface Turn {
  spentMs: number;
  /** The processor time of this process when the turn began. */
  readonly processor: NodeJS.CpuUsage;
}

/**
 * The gateway's end of the channel to one worker: a socket for each direction, one JSON message per line. Node's own
 * IPC is not used: its reader throws where the error cannot be caught, and buffers without a limit. No input from a
 * worker makes this throw: a worker that breaks a rule is disconnected.
 */
export class WorkerChannel {
  readonly #sockets: ChannelSockets;
  readonly #log: Log;
  readonly #listener: ChannelListener;
  readonly #reader = messageReader();
  readonly #budget = new Budget(BUDGET);
  #turn: Turn | undefined;
  #rest: NodeJS.Timeout | undefined;
  #isOver = false;
  #isClosed = false;
  #readsAtOnce = false;
  readonly #end = deferred();
  /** Resolves when everything has been read and the channel is closed. */
  readonly ended = this.#end.promise;

  constructor(sockets: ChannelSockets, log: Log, listener: ChannelListener) {
    this.#sockets = sockets;
    this.#log = log;
    this.#listener = listener;
    const { fromWorker, toWorker } = sockets;
    fromWorker.once('close', () => {
      this.#isClosed = true;
      if (!this.#rest) this.#end.resolve();
    });
    for (const socket of [fromWorker, toWorker])
      socket.on('error', (error) => log.debug({ error: error.message }, 'worker channel failed'));
    fromWorker.on('data', (chunk: Buffer) => this.#receive(chunk));
  }

  /** Sends a message. Returns false, without sending, if too much is buffered for this worker. */
  send(message: GatewayMessage): boolean {
    if (this.#isOver) return true; // Pending calls are rejected elsewhere.
    const { toWorker } = this.#sockets;
    const line = encodeMessage(message);
    if (toWorker.writableLength + line.length > MAX_WAITING_BYTES) return false;
    corkTurn(toWorker);
    toWorker.write(line);
    return true;
  }

  /** The worker has exited: reads the rest without pauses. */
  readRestAtOnce(): void {
    this.#readsAtOnce = true;
    if (!this.#rest) return;
    clearTimeout(this.#rest);
    this.#resume();
  }

  /** Closes the channel: nothing is read or sent after this. */
  close(): void {
    this.#isOver = true;
    clearTimeout(this.#rest);
    this.#sockets.fromWorker.destroy();
    this.#sockets.toWorker.destroy();
    this.#end.resolve();
  }

  #receive(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#reader.feed(chunk);
    if (this.#readOn() === 0) this.#charge(1); // Tiny chunks are expensive as well.
  }

  /** Reads buffered lines, as far as this turn of the event loop allows. Returns how many. */
  #readOn(): number {
    this.#turn ??= this.#newTurn();
    const turn = this.#turn;
    for (let lines = 0; ; lines += 1) {
      const startedAt = performance.now();
      if (this.#isOver || !this.#readLine()) return lines;
      this.#spend(turn, performance.now() - startedAt);
      if (this.#rest) return lines + 1;
    }
  }

  #readLine(): boolean {
    try {
      const line = this.#reader.next();
      if (line === undefined) return false;
      this.#charge(this.#listener.onMessage(decodeMessage(line), line.length));
      return true;
    } catch (error) {
      if (error instanceof ChannelError) this.#break(`a message ${error.message}`);
      else if (error instanceof LineTooLongError) this.#break(`a message of more than ${MAX_MESSAGE_LENGTH}`);
      else {
        this.#log.error({ err: error }, 'worker message not handled');
        this.#break('a message that could not be handled');
      }
      return false;
    }
  }

  #charge(units: number): void {
    if (this.#isOver || this.#budget.take(units)) return;
    this.#break(`more messages than allowed (${BUDGET.burst} at once, ${BUDGET.perSecond} a second)`);
  }

  #newTurn(): Turn {
    setImmediate(() => {
      this.#turn = undefined;
    });
    return { spentMs: 0, processor: process.cpuUsage() };
  }

  #spend(turn: Turn, ms: number): void {
    turn.spentMs += ms;
    if (turn.spentMs < SLICE_MS || this.#isOver || this.#rest) return;
    // On a busy host the process may have waited for a core meanwhile: that is not the worker's doing.
    const { user, system } = process.cpuUsage(turn.processor);
    turn.spentMs = Math.min(turn.spentMs, (user + system) / 1_000);
    if (turn.spentMs < SLICE_MS) return;
    this.#sockets.fromWorker.pause();
    const restMs = this.#readsAtOnce ? 0 : Math.min(MAX_REST_MS, REST_FACTOR * turn.spentMs);
    this.#rest = setTimeout(() => this.#resume(), restMs);
  }

  #resume(): void {
    this.#rest = undefined;
    this.#readOn();
    if (this.#rest || this.#isOver) return;
    if (this.#isClosed) this.#end.resolve();
    else this.#sockets.fromWorker.resume();
  }

  #break(what: string): void {
    if (this.#isOver) return;
    this.close();
    this.#listener.onBroken(`sent ${what}`);
  }
}
