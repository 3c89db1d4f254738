import { setTimeout as delay } from 'node:timers/promises';
import { type GatewayAddress, GatewayError, openEventStream } from '@chat-web/host';
import type { OperationMethods, SessionEvent } from '@chat-web/protocol';
import type { SimulatorClient } from '@chat-web/simulator';

/** The outcome of a send: the code of its error, or `sent`. */
export interface Sent {
  readonly body: string;
  readonly outcome: string;
  /** With a key: retried until it is answered. */
  readonly isKeyed: boolean;
}

const REOPEN_MS = 200;
/** An unusable session recovers within some minutes. */
const ASK_AGAIN_MS = 1_000;
const MAX_ATTEMPTS = 400;

/** One linked account of the soak: what it should have received, and what its consumer has recorded. */
export class SoakAccount {
  readonly id: string;
  readonly number: string;
  /** Bodies that phones have sent to it, in order. */
  readonly expected: string[] = [];
  /** The consumer's record: each received event, once. */
  readonly record: { readonly id: string | undefined; readonly event: SessionEvent }[] = [];
  readonly sends: Sent[] = [];
  /** From a phone to the consumer, for each received message; in ms. */
  readonly lags: number[] = [];
  readonly #sentAt = new Map<string, number>();
  /** How often its stream ended although neither the gateway was killed nor the consumer went away. */
  unexpectedEnds = 0;
  #isOpen = false;
  #mayEnd = false;
  #away = new AbortController();

  constructor(id: string, number: string) {
    this.id = id;
    this.number = number;
  }

  /** Reads its stream until the signal aborts, and resumes after each end. Never rejects. */
  async listen(address: () => GatewayAddress, signal: AbortSignal): Promise<void> {
    let after: string | undefined = 'oldest';
    while (!signal.aborted) {
      const either = AbortSignal.any([signal, this.#away.signal]);
      try {
        const stream = await openEventStream(address(), this.id, either, { after });
        this.#isOpen = true;
        for await (const { id, ...event } of stream) {
          this.record.push({ id, event });
          const sentAt = event.name === 'message' ? this.#sentAt.get(event.data.body) : undefined;
          if (sentAt !== undefined) this.lags.push(performance.now() - sentAt);
          after = id ?? after;
        }
      } catch {
        // Counted below, like an end without an error.
      }
      if (signal.aborted) return;
      if (this.#isOpen && !this.#mayEnd) this.unexpectedEnds += 1;
      this.#isOpen = this.#mayEnd = false;
      await delay(REOPEN_MS);
    }
  }

  /** An expected end of its stream follows. */
  expectEnd(): void {
    this.#mayEnd = this.#isOpen;
  }

  async leave(ms: number): Promise<void> {
    this.expectEnd();
    this.#away.abort();
    await delay(ms);
    this.#away = new AbortController();
  }

  async receive(phones: SimulatorClient, from: string): Promise<void> {
    const body = `to ${this.id} ${this.expected.length}`;
    this.expected.push(body);
    this.#sentAt.set(body, performance.now());
    await phones.send(from, { to: this.number, body });
  }

  /**
   * Sends a message; every second one has a key, and is retried until it is answered. Never rejects. `client`: of the
   * current gateway.
   */
  async send(client: () => OperationMethods, to: string): Promise<void> {
    const body = `from ${this.id} ${this.sends.length}`;
    const place = this.sends.push({ body, outcome: 'in progress', isKeyed: false }) - 1;
    const input = { id: this.id, type: 'text', to, body } as const;
    const options = { idempotencyKey: place % 2 === 0 ? undefined : `${this.id} ${place}` };
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const outcome = await client()
        .sendMessage(input, options)
        .then(
          () => 'sent',
          (error: unknown) => (error instanceof GatewayError ? error.code : String(error)),
        );
      this.sends[place] = { body, outcome, isKeyed: options.idempotencyKey !== undefined };
      if (outcome === 'sent' || !options.idempotencyKey) return;
      await delay(ASK_AGAIN_MS);
    }
  }
}
