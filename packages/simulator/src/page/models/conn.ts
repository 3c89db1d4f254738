import { Model } from '../model.ts';
import type { Wid } from '../wid.ts';

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
