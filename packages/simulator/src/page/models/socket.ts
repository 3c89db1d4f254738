import { Model } from '../model.ts';
import type { SocketState } from '../socket-states.ts';

class SocketModel extends Model<{ state: SocketState; hasSynced: boolean }> {
  static override readonly props = ['state', 'hasSynced'];
}

/** The state of the link to the network. */
export const socket = new SocketModel({ state: 'OPENING', hasSynced: false });

class StreamModel extends Model<{ available: boolean; mode: 'MAIN' | 'QR' }> {
  static override readonly props = ['available', 'mode'];

  markAvailable(): void {
    this.set({ available: true });
  }

  markUnavailable(): void {
    this.set({ available: false });
  }
}

/** Whether the user is there. */
export const stream = new StreamModel({ available: false, mode: 'QR' });
