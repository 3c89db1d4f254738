import type { ServerEvent } from '../page/wire.ts';
import type { SimulatorSettings } from '../settings.ts';
import type { Timers } from '../timers.ts';
import { type AccountRecord, chatIdOf, type Device } from './account.ts';
import type { Directory } from './directory.ts';
import { deviceView, type Message, peerOf } from './message.ts';

/** Takes messages in, brings them to phones and linked devices, and tells the senders. */
export class PostOffice {
  readonly #settings: SimulatorSettings;
  readonly #directory: Directory;
  readonly #timers: Timers;
  readonly #arriving = new Map<string, Promise<Message>>();

  constructor(settings: SimulatorSettings, directory: Directory, timers: Timers) {
    this.#settings = settings;
    this.#directory = directory;
    this.#timers = timers;
  }

  /** Takes a message in; `origin` is the linked device that wrote it, undefined if the phone did. */
  accept(message: Message, origin: Device | undefined): void {
    const { from, to } = message;
    from.log.push(message);
    if (origin) this.#toPhone(message, from);
    this.#toDevices(message, from, origin);
    if (to === from) {
      this.#raise(message, 3);
      return;
    }
    this.#timers.after(this.#settings.deliveryDelayMs, () => {
      to.log.push(message);
      this.#toPhone(message, to);
      this.#toDevices(message, to, undefined);
    });
  }

  /** The same for a device that waits for ack 1. A message that it sends again, after a lost answer, is taken once. */
  submit(message: Message, origin: Device): Promise<Message> {
    const known = message.from.log.find(({ id }) => id === message.id);
    if (known) return Promise.resolve(known);
    const present = this.#arriving.get(message.id);
    if (present) return present;
    const arrival = new Promise<Message>((resolve) => {
      this.#timers.after(this.#settings.ackDelayMs, () => {
        this.#arriving.delete(message.id);
        this.accept(message, origin);
        resolve(message);
      });
    });
    this.#arriving.set(message.id, arrival);
    return arrival;
  }

  /** The phone is on again and gets what waited. */
  phoneTurnedOn(account: AccountRecord): void {
    for (const message of account.waiting) this.#delivered(message, account);
    account.waiting.clear();
  }

  /** A device has logged in and gets what waited. */
  deviceLoggedIn(account: AccountRecord, device: Device): void {
    for (const message of device.waiting) this.#hand(message, account, device);
  }

  /** A device has taken a message in. */
  received(account: AccountRecord, device: Device, messageId: string): void {
    for (const message of device.waiting) {
      if (message.id !== messageId) continue;
      device.waiting.delete(message);
      this.#delivered(message, account);
    }
  }

  /** The account has seen what `peer` wrote. */
  read(account: AccountRecord, peer: AccountRecord): number {
    const unread = this.unread(account, peer);
    for (const message of unread) this.#raise(message, 3);
    if (unread.length > 0) this.#tell(account, { type: 'chat-read', chat: chatIdOf(peer) });
    return unread.length;
  }

  unread(account: AccountRecord, peer: AccountRecord): Message[] {
    return account.log.filter(({ from, to, ack }) => from === peer && to === account && from !== to && ack < 3);
  }

  #toPhone(message: Message, account: AccountRecord): void {
    if (account.phoneOn) this.#delivered(message, account);
    else account.waiting.add(message);
  }

  #toDevices(message: Message, account: AccountRecord, except: Device | undefined): void {
    for (const device of account.devices.values()) {
      if (device === except) continue;
      device.waiting.add(message);
      this.#hand(message, account, device);
    }
  }

  #hand(message: Message, account: AccountRecord, device: Device): void {
    const user = this.#directory.describe(peerOf(message, account), account);
    device.line?.send({ type: 'message', message: deviceView(message, account), user });
  }

  #delivered(message: Message, account: AccountRecord): void {
    if (message.to === account && message.from !== account) this.#raise(message, 2);
  }

  #raise(message: Message, ack: 2 | 3): void {
    if (message.ack >= ack) return;
    message.ack = ack;
    this.#tell(message.from, { type: 'ack', chat: chatIdOf(message.to), ids: [message.id], ack });
  }

  #tell(account: AccountRecord, event: ServerEvent): void {
    for (const device of account.devices.values()) device.line?.send(event);
  }
}
