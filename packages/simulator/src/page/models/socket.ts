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

  markAvailable(): void {
    this.set({ available: true });
  }

  markUnavailable(): void {
    this.set({ available: false });
    presences.clearAllPresence();
  }
}

/** Whether the page itself is up, or shows the QR; and whether its user is there. */
export const stream = new StreamModel({ mode: 'QR', available: false });
