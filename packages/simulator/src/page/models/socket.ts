import { Model } from '../model.ts';
import type { SocketState } from '../socket-states.ts';
import { presences } from './presences.ts';

class SocketModel extends Model<{ state: SocketState; hasSynced: boolean }> {
  static override readonly props = ['state', 'hasSynced'];
}

/** The state of the link to the network. */
export const socket = new SocketModel({ state: 'OPENING', hasSynced: false });

class StreamModel extends Model<{ mode: 'MAIN' | 'QR'; available: boolean }> {
  static override readonly props = ['mode', 'available'];
  #leaving: ReturnType<typeof setTimeout> | undefined;

  markAvailable(): void {
    this.#stay();
    this.set({ available: true });
  }

  /** After a delay, unless one is running already; at once without a delay. */
  markUnavailable(delayMs = 0): void {
    if (delayMs > 0) this.#leaving ??= setTimeout(() => this.markUnavailable(), delayMs);
    else {
      this.#stay();
      this.set({ available: false });
    }
  }

  #stay(): void {
    clearTimeout(this.#leaving);
    this.#leaving = undefined;
  }
}

/** Whether the page itself is ready, or shows the QR; and whether its user is active. */
export const stream = new StreamModel({ mode: 'QR', available: false });

stream.on('change:available', (_: unknown, available: boolean) => {
  if (!available) presences.clearAllPresence();
});
