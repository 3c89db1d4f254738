import { type GatewayAddress, GatewayError, openEventStream } from '@chat-web/host';
import type { OperationMethods } from '@chat-web/protocol';
import type { SimulatorClient } from '@chat-web/simulator';

/** The outcome of a send: the code of its error, or `sent`. */
export interface Sent {
  readonly body: string;
  readonly outcome: string;
}

/** One linked account of the soak: what it should have received, and what it has. */
export class SoakAccount {
  readonly id: string;
  readonly number: string;
  /** Bodies that phones have sent to it. */
  readonly expected: string[] = [];
  /** Bodies that its stream has delivered, in order. */
  readonly heard: string[] = [];
  readonly sends: Sent[] = [];
  /** How often its stream ended; it should never. */
  streamEnds = 0;

  constructor(id: string, number: string) {
    this.id = id;
    this.number = number;
  }

  /** Reads its stream until the signal aborts. Never rejects. */
  async listen(address: GatewayAddress, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const event of await openEventStream(address, this.id, signal))
          if (event.name === 'message') this.heard.push(event.data.body);
      } catch {
        // Counted below, like an end without an error.
      }
      if (!signal.aborted) this.streamEnds += 1;
    }
  }

  /** A phone sends a message to it. */
  async receive(phones: SimulatorClient, from: string): Promise<void> {
    const body = `to ${this.id} ${this.expected.length}`;
    this.expected.push(body);
    await phones.send(from, { to: this.number, body });
  }

  /** It sends a message. Never rejects. */
  async send(client: OperationMethods, to: string): Promise<void> {
    const body = `from ${this.id} ${this.sends.length}`;
    const place = this.sends.push({ body, outcome: 'in progress' }) - 1;
    const outcome = await client.sendMessage({ id: this.id, type: 'text', to, body }).then(
      () => 'sent',
      (error: unknown) => (error instanceof GatewayError ? error.code : String(error)),
    );
    this.sends[place] = { body, outcome };
  }
}
