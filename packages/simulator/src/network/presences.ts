import type { ChatStateName, WireActivity } from '../page/wire.ts';
import type { Timers } from '../timers.ts';
import { peerIdForDevices } from './message-views.ts';
import type { AccountRecord, Connection, Device, Peer } from './records.ts';

interface Subscription {
  readonly connection: Connection;
  readonly device: Device;
  readonly viewer: AccountRecord;
  readonly to: Peer;
}

const TYPES = { typing: 'typing', recording: 'recording_audio', paused: 'idle' } as const;

/** Subscriptions to what others do. The network notifies only devices that are shown as available themselves. */
export class Presences {
  #subscriptions: Subscription[] = [];

  subscribe(connection: Connection, device: Device, viewer: AccountRecord, to: Peer): void {
    if (!this.#subscriptions.some((one) => one.connection === connection && one.to === to))
      this.#subscriptions.push({ connection, device, viewer, to });
    if (to.kind === 'person') this.#notify(to, this.#seen(to));
  }

  disconnected(connection: Connection): void {
    this.#subscriptions = this.#subscriptions.filter((one) => one.connection !== connection);
  }

  /** A person has opened or closed the app on the phone. */
  appear(person: AccountRecord, isOpen: boolean): void {
    person.appOpen = isOpen;
    person.lastSeenMs = Date.now();
    this.#notify(person, this.#seen(person));
  }

  /** Notifies those who see a chat of what an account does in it. */
  act(from: AccountRecord, to: Peer, state: ChatStateName): void {
    const type = TYPES[state];
    if (to.kind !== 'person') this.#notify(to, { participant: from.lid, type }, from);
    else for (const one of this.#of(from)) if (one.viewer === to) this.#send(one, { type });
  }

  #seen({ appOpen, lastSeenMs, privacy }: AccountRecord): Omit<WireActivity, 'id'> {
    if (appOpen) return { type: 'available' };
    if (privacy.last === 'none') return { type: 'unavailable', deny: true };
    return { type: 'unavailable', t: lastSeenMs === undefined ? undefined : Math.floor(lastSeenMs / 1_000) };
  }

  #of(to: Peer): Subscription[] {
    return this.#subscriptions.filter((one) => one.to === to);
  }

  #notify(to: Peer, what: Omit<WireActivity, 'id'>, except?: AccountRecord): void {
    for (const one of this.#of(to)) if (one.viewer !== except) this.#send(one, what);
  }

  #send({ connection, device, to }: Subscription, what: Omit<WireActivity, 'id'>): void {
    if (device.presence === 'available')
      connection.send({ type: 'activity', activity: { id: peerIdForDevices(to), ...what } });
  }
}

/** How long others see a state that is not sent again. */
const STATE_LIFETIME_MS = 25_000;

interface ActiveState {
  readonly from: AccountRecord;
  readonly to: Peer;
  readonly state: Exclude<ChatStateName, 'paused'>;
  /** The connection of the page; a phone has none. */
  readonly connection: Connection | undefined;
  readonly forget: () => void;
}

export class ChatStates {
  readonly #timers: Timers;
  #shown: ActiveState[] = [];

  readonly #notify: (from: AccountRecord, to: Peer, state: ChatStateName) => void;

  /** `notify` is called on each change. */
  constructor(timers: Timers, notify: (from: AccountRecord, to: Peer, state: ChatStateName) => void) {
    this.#timers = timers;
    this.#notify = notify;
  }

  /** A page or a phone reports what its account does in a chat. */
  show(connection: Connection | undefined, from: AccountRecord, to: Peer, state: ChatStateName): void {
    this.#drop((shown) => shown.from === from && shown.to === to);
    this.#notify(from, to, state);
    if (state === 'paused') return;
    const forget = this.#timers.after(STATE_LIFETIME_MS, () => this.end(from, to));
    this.#shown.push({ from, to, state, connection, forget });
  }

  /** The account stops typing or recording in the chat, or has sent a message there. */
  end(from: AccountRecord, to: Peer): void {
    const ended = this.#drop((shown) => shown.from === from && shown.to === to);
    if (ended.length > 0) this.#notify(from, to, 'paused');
  }

  disconnected(connection: Connection): void {
    for (const { from, to } of this.#drop((shown) => shown.connection === connection)) this.#notify(from, to, 'paused');
  }

  /** Who is typing or recording in a chat, as `viewer` sees it. */
  seenBy(
    viewer: AccountRecord,
    chat: Peer,
  ): { readonly from: AccountRecord; readonly state: 'typing' | 'recording' }[] {
    return this.#shown.filter(({ from, to }) => {
      if (from === viewer || viewer.blocked.has(from)) return false;
      return chat.kind === 'person' ? from === chat && to === viewer : to === chat;
    });
  }

  #drop(isGone: (shown: ActiveState) => boolean): ActiveState[] {
    const gone = this.#shown.filter(isGone);
    for (const { forget } of gone) forget();
    this.#shown = this.#shown.filter((shown) => !gone.includes(shown));
    return gone;
  }
}
