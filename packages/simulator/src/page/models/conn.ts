import { Emitter } from '../emitter.ts';
import { Model } from '../model.ts';
import type { Wid } from '../wid.ts';
import type { SocketState } from '../wire.ts';
import { presences } from './presences.ts';

/** The page's bus: `logout`, `offline_progress_update_from_bridge`. */
export const cmd = new Emitter();

interface ConnAttributes {
  /** The QR reference; undefined until the network has sent the first. */
  ref: string;
  wid: Wid;
  lid: Wid;
  pushname: string;
  platform: string;
  connected: boolean;
  battery: number;
  plugged: boolean;
}

class ConnModel extends Model<ConnAttributes> {
  static override readonly props = ['ref', 'wid', 'lid', 'pushname', 'platform', 'connected', 'battery', 'plugged'];
}

/** The account that this page is linked to, and the QR reference before that. */
export const conn = new ConnModel();

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
