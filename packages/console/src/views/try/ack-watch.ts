import type { GatewayAddress } from '@chat-web/host';
import { signal } from '@preact/signals';
import { followEvents } from '../../live/follow-events.ts';
import { journalPosition } from '../../live/journal-position.ts';
import { isAckOf } from './sent-id.ts';

/** An ack of a message that was sent from this page. */
export interface SeenAck {
  readonly ack: number;
  readonly at: string;
}

/** Acks may arrive before the answer that has the message's id. */
const MOST_RECENT = 1_000;
const MOST_SENT = 50;

/**
 * The acks of messages that were sent from this page. One stream serves all: browsers open few connections to a host.
 */
export class AckWatch {
  /** By message id, in order of arrival. */
  readonly acks = signal<ReadonlyMap<string, readonly SeenAck[]>>(new Map());
  readonly #address: GatewayAddress;
  readonly #stopping = new AbortController();
  #recent: { readonly id: string; readonly seen: SeenAck }[] = [];
  #begun: Promise<void> | undefined;

  constructor(address: GatewayAddress) {
    this.#address = address;
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** Resolves once no ack of a later send can be missed. Never rejects. */
  begin(): Promise<void> {
    this.#begun ??= this.#begin();
    return this.#begun;
  }

  /** Keeps the acks of the message with this id. */
  watch(id: string): void {
    const seen = this.#recent.filter((one) => isAckOf(one.id, id)).map((one) => one.seen);
    const kept = [...this.acks.value].slice(-MOST_SENT);
    this.acks.value = new Map([...kept, [id, seen]]);
  }

  async #begin(): Promise<void> {
    const { signal } = this.#stopping;
    const from = await journalPosition(this.#address, signal);
    if (signal.aborted) return;
    const stop = followEvents(this.#address, {
      ...{ events: ['message_ack'], from },
      onEvent: (event) => {
        if (event.name !== 'message_ack') return;
        this.#take(event.data.id, { ack: event.data.ack, at: event.at ?? new Date().toISOString() });
      },
      onRefused: () => {
        stop();
        this.#begun = undefined; // The next call starts it again.
      },
    });
    signal.addEventListener('abort', stop, { once: true });
  }

  #take(id: string, seen: SeenAck): void {
    const [sent, known = []] = [...this.acks.value].find(([one]) => isAckOf(id, one)) ?? [];
    if (sent !== undefined) this.acks.value = new Map(this.acks.value).set(sent, [...known, seen]);
    else this.#recent = [...this.#recent.slice(1 - MOST_RECENT), { id, seen }];
  }
}
