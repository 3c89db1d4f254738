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

/** Who wants to know what others do. The network tells it only devices that are shown as available themselves. */
export class Presences {
  #subscriptions: Subscription[] = [];

  subscribe(line: Line, device: Device, viewer: AccountRecord, to: Party): void {
    if (!this.#subscriptions.some((one) => one.line === line && one.to === to))
      this.#subscriptions.push({ line, device, viewer, to });
    if (to.kind === 'person') this.#tell(to, this.#seen(to));
  }

  /** The connection has gone. */
  release(line: Line): void {
    this.#subscriptions = this.#subscriptions.filter((one) => one.line !== line);
  }

  /** A person has opened the app on the phone, or put it away. */
  appear(person: AccountRecord, isOpen: boolean): void {
    person.appOpen = isOpen;
    person.lastSeenMs = Date.now();
    this.#tell(person, this.#seen(person));
  }

  /** Somebody does something in a chat, where those in it see it. */
  act(from: AccountRecord, to: Party, state: ChatStateName): void {
    const type = types[state];
    if (to.kind !== 'person') this.#tell(to, { participant: from.lid, type }, from);
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

  #tell(to: Party, what: Omit<WireActivity, 'id'>, except?: AccountRecord): void {
    for (const one of this.#of(to)) if (one.viewer !== except) this.#send(one, what);
  }

  #send({ line, device, to }: Subscription, what: Omit<WireActivity, 'id'>): void {
    if (device.presence === 'available') line.send({ type: 'activity', activity: { id: chatIdIn(to), ...what } });
  }
}
