import { Emitter } from '../emitter.ts';
import { createWid } from '../wid.ts';
import type { WireCall } from '../wire.ts';

const RECEIVED = 3;

/** The calls of the page. The one that rings is not a member of the collection. */
class Calls extends Emitter {
  /** The library looks up this map, to wrap its `set`. */
  readonly calls = new Map<string, unknown>();
  activeCall: { readonly id: string } | null = null;

  /** None: as in a page without a call engine. */
  get(_id: string): undefined {
    return undefined;
  }

  setActiveCall(call: { readonly id: string } | null): void {
    this.activeCall = call;
    this.trigger('change:activeCall', call);
  }
}

export const calls = new Calls();

/** A call as the page has it. */
export function createCall({ id, from, isVideo }: WireCall): { readonly id: string } {
  // Its state follows in the next turn.
  let state = 0;
  setTimeout(() => {
    state = RECEIVED;
  }, 0);
  const peerJid = createWid(from.replace('@', ':12@'));
  const call = { id, peerJid, isVideo, isGroup: false, groupJid: null, outgoing: false, offerTime: 0 };
  return { ...call, getState: () => state } as { readonly id: string };
}
