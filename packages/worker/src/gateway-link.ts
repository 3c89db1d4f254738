import { Socket } from 'node:net';
import {
  CHANNEL_FDS,
  ChannelError,
  decodeMessage,
  encodeMessage,
  type GatewayMessage,
  gatewayMessage,
  isWorkerOperation,
  MAX_ROWS_OF_A_MESSAGE,
  messageReader,
  type Operation,
  settledWithin,
  type WorkerEvent,
  type WorkerMessage,
  workerOperations,
} from '@chat-web/protocol';
import * as v from 'valibot';
import type { Log } from './client/port.ts';

export interface GatewayListener {
  onMessage(message: GatewayMessage): void;
  onGone(): void;
}

type Call = Extract<GatewayMessage, { readonly type: 'call' }>;

/** How long the gateway may take to read the last messages. */
const FLUSH_TIMEOUT_MS = 1_000;
const MAX_LOG_TEXT_LENGTH = 2_000;
/** In UTF-16 units of its JSON. */
const MAX_PART_LENGTH = 262_144;

/** The worker's end of the channel: two inherited sockets, one JSON message per line. */
export class GatewayLink {
  readonly #incoming: Socket;
  readonly #outgoing = new Socket({ fd: CHANNEL_FDS.toGateway, writable: true });

  constructor(incoming: Socket) {
    this.#incoming = incoming;
    process.on('exit', () => this.#outgoing.uncork()); // Messages sent in the turn of an uncaught error.
  }

  listen(listener: GatewayListener): void {
    const reader = messageReader();
    this.#incoming.on('data', (chunk) => {
      reader.feed(chunk);
      for (let line = reader.next(); line; line = reader.next()) {
        const parsed = v.safeParse(gatewayMessage, decodeMessage(line));
        if (parsed.success) listener.onMessage(parsed.output);
        else this.log('error', 'gateway message discarded', { error: 'invalid' });
      }
    });
    for (const socket of [this.#incoming, this.#outgoing]) {
      socket.on('error', () => {}); // The gateway is gone; `close` follows.
      socket.on('close', () => listener.onGone());
    }
    this.#incoming.resume();
  }

  /**
   * Sends a message. Throws a ChannelError if it is larger than the channel allows. The messages of one turn of the
   * event loop are one write.
   */
  send(message: WorkerMessage): void {
    if (!this.#outgoing.writable) return;
    const line = encodeMessage(message);
    if (this.#outgoing.writableCorked === 0) {
      this.#outgoing.cork();
      setImmediate(() => this.#outgoing.uncork());
    }
    this.#outgoing.write(line);
  }

  /**
   * Answers a call. A long list is sent in parts, if the gateway knows what a row of it is. Throws a ChannelError if it is
   * larger than the channel allows.
   */
  answer({ callId, operation }: Pick<Call, 'callId' | 'operation'>, answer: unknown): void {
    const known: Operation | undefined = isWorkerOperation(operation) ? workerOperations[operation] : undefined;
    const parts = known?.row && Array.isArray(answer) ? [...inParts(answer)] : [];
    const last = parts.pop() ?? answer;
    for (const rows of parts) this.send({ type: 'rows', callId, rows });
    this.send({ type: 'answer', callId, answer: last });
  }

  /** Reports an event. An event that is too large for the channel is discarded and logged. */
  report(event: WorkerEvent): void {
    try {
      this.send({ type: 'event', event });
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      this.log('error', 'event discarded', { eventName: event.name, error: `message ${error.message}` });
    }
  }

  readonly log: Log = (level, event, fields = {}) => {
    const cut = Object.entries(fields).map(([key, value]) => [
      key,
      typeof value === 'string' ? value.slice(0, MAX_LOG_TEXT_LENGTH) : value,
    ]);
    this.send({ type: 'log', level, event, ...(cut.length > 0 && { fields: Object.fromEntries(cut) }) });
  };

  /** Resolves when all messages are written, or after a second. */
  async flush(): Promise<void> {
    if (!this.#outgoing.writable) return;
    const sent = new Promise<void>((resolve) => this.#outgoing.write('', () => resolve()));
    await settledWithin(sent, FLUSH_TIMEOUT_MS);
  }
}

/** A list in parts, each of which takes the gateway a few milliseconds to read; the last one may be empty. */
function* inParts(rows: readonly unknown[]): Generator<unknown[]> {
  let part: unknown[] = [];
  let length = 0;
  for (const row of rows) {
    const rowLength = JSON.stringify(row)?.length ?? 0;
    if (part.length === MAX_ROWS_OF_A_MESSAGE || (part.length > 0 && length + rowLength > MAX_PART_LENGTH)) {
      yield part;
      part = [];
      length = 0;
    }
    part.push(row);
    length += rowLength;
  }
  yield part;
}
