import { Collection } from '../collection.ts';
import { Model } from '../model.ts';
import type { Wid } from '../wid.ts';

interface MuteAttributes {
  id: Wid;
  /** Unix seconds; 0 for not muted, -1 for forever. */
  expiration: number;
}

/** How a mute is set; without `sendDevice` it stays in this page. */
interface MuteOptions {
  readonly expiration: number;
  readonly sendDevice?: boolean;
}

/** Whether a chat is muted. */
export class Mute extends Model<MuteAttributes> {
  static override readonly props = ['id', 'expiration'];
  /** Sends a change to the account's other devices. */
  static push: (chat: Wid, mutedUntil: number) => void = () => {};

  async mute({ expiration, sendDevice = false }: MuteOptions): Promise<void> {
    if (typeof expiration !== 'number') throw new Error('ActionError');
    await this.#become(Math.round(expiration), sendDevice);
  }

  async unmute({ sendDevice = false }: Partial<MuteOptions> = {}): Promise<void> {
    await this.#become(0, sendDevice);
  }

  async #become(expiration: number, isSent: boolean): Promise<void> {
    const id = this.get('id');
    if (isSent && id) Mute.push(id, expiration);
    this.set({ expiration });
  }
}

/** The mutes of all chats; emits `change:expiration` for each. */
export const mutes = new Collection<Mute>(Mute as never);
