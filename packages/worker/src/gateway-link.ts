import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  CHANNEL_FDS,
  ChannelError,
  decodeMessage,
  encodeMessage,
  type GatewayMessage,
  gatewayMessage,
  messageReader,
  type WorkerMessage,
} from '@chat-web/protocol';
import * as v from 'valibot';

/** What the worker does when the gateway speaks, and when it is gone. */
export interface GatewayListener {
  onMessage(message: GatewayMessage): void;
  onGone(): void;
}

/** How long the gateway may take to read the last words. */
const LAST_WORDS_MS = 1_000;
const LONGEST_LOG_TEXT = 2_000;

/** The worker's end of the channel: sockets that it was started with, one JSON message on each line. */
export class GatewayLink {
  readonly #incoming = new Socket({ fd: CHANNEL_FDS.toWorker, readable: true });
  readonly #outgoing = new Socket({ fd: CHANNEL_FDS.toGateway, writable: true });

  listen(listener: GatewayListener): void {
    const reader = messageReader();
    this.#incoming.on('data', (chunk) => {
      reader.feed(chunk);
      for (let line = reader.next(); line; line = reader.next()) {
        const parsed = v.safeParse(gatewayMessage, decodeMessage(line));
        if (parsed.success) listener.onMessage(parsed.output);
        else this.log('error', 'invalid message from the gateway, passed over');
      }
    });
    for (const socket of [this.#incoming, this.#outgoing]) {
      socket.on('error', () => {}); // The gateway is gone: its end closes the channel.
      socket.on('close', () => listener.onGone());
    }
  }

  /** Throws a ChannelError where the gateway would not take the message. */
  send(message: WorkerMessage): void {
    if (this.#outgoing.writable) this.#outgoing.write(encodeMessage(message));
  }

  /** Tells of something that has happened. What the gateway would not take is a line in its log. */
  tell(message: Extract<WorkerMessage, { type: 'event' }>): void {
    try {
      this.send(message);
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      this.log('error', `an event ${message.event.name} was left out: it would have been a message ${error.message}`);
    }
  }

  log(level: Extract<WorkerMessage, { type: 'log' }>['level'], text: string): void {
    this.send({ type: 'log', level, text: text.slice(0, LONGEST_LOG_TEXT) });
  }

  /** Resolves when all has been sent, or nobody reads it. */
  async flush(): Promise<void> {
    if (!this.#outgoing.writable) return;
    const sent = new Promise<void>((resolve) => this.#outgoing.write('', () => resolve()));
    await Promise.race([sent, delay(LAST_WORDS_MS, undefined, { ref: false })]);
  }
}
