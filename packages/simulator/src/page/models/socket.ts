import { Model } from '../model.ts';
import type { SocketState } from '../socket-states.ts';

class SocketModel extends Model<{ state: SocketState; hasSynced: boolean }> {
  static override readonly props = ['state', 'hasSynced'];
}

/** The state of the link to the network. */
export const socket = new SocketModel({ state: 'OPENING', hasSynced: false });

class StreamModel extends Model<{ mode: 'MAIN' | 'QR' }> {
  static override readonly props = ['mode'];
}

/** Whether the page itself is up, or shows the QR. */
export const stream = new StreamModel({ mode: 'QR' });
