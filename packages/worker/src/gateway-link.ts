import { type GatewayMessage, gatewayMessage, SendQueue, type WorkerMessage } from '@chat-web/protocol';
import * as v from 'valibot';

/** What the worker does when the gateway speaks, and when it is gone. */
export interface GatewayListener {
  onMessage(message: GatewayMessage): void;
  onGone(): void;
}

/** The worker's end of the IPC channel. */
export class GatewayLink {
  readonly #queue = new SendQueue<WorkerMessage>((message, written) => {
    if (!process.connected) return;
    process.send?.(message, undefined, undefined, () => written());
  });

  listen(listener: GatewayListener): void {
    process.on('disconnect', () => {
      this.#queue.close();
      listener.onGone();
    });
    process.on('message', (raw) => {
      const parsed = v.safeParse(gatewayMessage, raw);
      if (parsed.success) listener.onMessage(parsed.output);
      else this.log('error', 'a message of the gateway is not one, and was passed over');
    });
  }

  send(message: WorkerMessage): void {
    this.#queue.send(message);
  }

  log(level: Extract<WorkerMessage, { type: 'log' }>['level'], text: string): void {
    this.send({ type: 'log', level, text });
  }
}
