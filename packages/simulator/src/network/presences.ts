import type { ChatStateName, WireActivity } from '../page/wire.ts';
import { chatIdIn } from './message-views.ts';
import type { AccountRecord, Device, Line, Party } from './records.ts';

interface Subscription {
  readonly line: Line;
  readonly device: Device;
  readonly viewer: AccountRecord;
  readonly to: Party;
}

const types = { typing: 'typing', recording: 'recording_audio', paused: 'idle' } as const;

/** Subscriptions to what others do. The network notifies only devices that are shown as available themselves. */
export class Presences {
  #subscriptions: Subscription[] = [];

  subscribe(line: Line, device: Device, viewer: AccountRecord, to: Party): void {
    if (!this.#subscriptions.some((one) => one.line === line && one.to === to))
      this.#subscriptions.push({ line, device, viewer, to });
    if (to.kind === 'person') this.#notify(to, this.#seen(to));
  }

  /** The connection has closed. */
  release(line: Line): void {
    this.#subscriptions = this.#subscriptions.filter((one) => one.line !== line);
  }

  /** A person has opened or closed the app on the phone. */
  appear(person: AccountRecord, isOpen: boolean): void {
    person.appOpen = isOpen;
    person.lastSeenMs = Date.now();
    this.#notify(person, this.#seen(person));
  }

  /** Notifies those who see a chat of what an account does in it. */
  act(from: AccountRecord, to: Party, state: ChatStateName): void {
    const type = types[state];
    if (to.kind !== 'person') this.#notify(to, { participant: from.lid, type }, from);
    else for (const one of this.#of(from)) if (one.viewer === to) this.#send(one, { type });
  }

  #seen({ appOpen, lastSeenMs, privacy }: AccountRecord): Omit<WireActivity, 'id'> {
    if (appOpen) return { type: 'available' };
    if (privacy.last === 'none') return { type: 'unavailable', deny: true };
    return { type: 'unavailable', t: lastSeenMs === undefined ? undefined : Math.floor(lastSeenMs / 1_000) };
  }

  #of(to: Party): Subscription[] {
    return this.#subscriptions.filter((one) => one.to === to);
  }

  #notify(to: Party, what: Omit<WireActivity, 'id'>, except?: AccountRecord): void {
    for (const one of this.#of(to)) if (one.viewer !== except) this.#send(one, what);
  }

  #send({ line, device, to }: Subscription, what: Omit<WireActivity, 'id'>): void {
    if (device.presence === 'available') line.send({ type: 'activity', activity: { id: chatIdIn(to), ...what } });
  }
}
