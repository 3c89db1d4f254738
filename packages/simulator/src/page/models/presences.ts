import { Collection } from '../collection.ts';
import { Model } from '../model.ts';
import type { Wid } from '../wid.ts';
import type { WireActivity } from '../wire.ts';

interface ChatStateAttributes {
  id: Wid | string;
  type: string;
  t: number | undefined;
  deny: boolean | undefined;
}

/** The state of a person in a chat. */
class ChatState extends Model<ChatStateAttributes> {
  static override readonly props = ['id', 'type', 't', 'deny'];
}

interface PresenceAttributes {
  id: Wid;
  isOnline: boolean;
  hasData: boolean;
  isSubscribed: boolean;
}

/** The state of a person, or of the member of a group who did something last. */
class Presence extends Model<PresenceAttributes> {
  static override readonly props = ['id', 'isOnline', 'hasData', 'isSubscribed'];
  readonly chatstate: ChatState;

  constructor(id: Wid) {
    super({ id, isOnline: false, hasData: false, isSubscribed: false });
    this.chatstate = new ChatState({ id: id.isGroup() ? '' : id, type: 'unavailable' });
    this.chatstate.on('change:type', (state: ChatState) => this.trigger('change:chatstate.type', state));
  }

  /** The member of a group; present only while they are typing or recording. */
  update({ type, t, deny }: WireActivity, member: Wid | undefined): void {
    const state = this.chatstate;
    const rests = this.get('isOnline') ? 'available' : 'unavailable';
    if (type === 'available' || type === 'unavailable') this.set({ isOnline: type === 'available' });
    if (member) state.set(type === 'idle' ? { id: '', type: rests } : { id: member, type });
    else state.set(type === 'idle' ? { type: rests } : { type, t, deny });
    this.set({ hasData: true, isSubscribed: true });
  }
}

/** Clears it: the person then looks offline. */
function clearPresence(presence: Presence): void {
  presence.chatstate.set({ type: 'unavailable', t: undefined });
  presence.set({ isOnline: false, hasData: false, isSubscribed: false });
}

class PresenceCollection extends Collection<Presence> {
  /** The presence of that id, created if there is none. */
  gadd(id: Wid): Presence {
    return this.get(id) ?? this.add(new Presence(id));
  }

  /** Clears all presences: their data is stale. */
  clearAllPresence(): void {
    for (const presence of this.getModelsArray()) clearPresence(presence);
  }
}

export const presences = new PresenceCollection(Presence as never);
