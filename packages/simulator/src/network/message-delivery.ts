import type { WireUser } from '../page/wire.ts';
import type { SimulatorSettings } from '../settings.ts';
import type { Timers } from '../timers.ts';
import { notifyDevices } from './account.ts';
import type { Directory } from './directory.ts';
import { peerOf } from './message.ts';
import { deviceView, isNotice, isWrittenBy, keyView, peerIdForDevices } from './message-views.ts';
import type { AccountRecord, Device, Message, Newsletter, Peer } from './records.ts';

/** Accepts messages, delivers them to phones and linked devices, and sends receipts. */
export class MessageDelivery {
  readonly #settings: SimulatorSettings;
  readonly #directory: Directory;
  readonly #timers: Timers;
  readonly #arriving = new Map<string, Promise<Message>>();

  constructor(settings: SimulatorSettings, directory: Directory, timers: Timers) {
    this.#settings = settings;
    this.#directory = directory;
    this.#timers = timers;
  }

  /** Accepts a message; `origin` is the linked device that sent it, undefined if the phone did. */
  accept(message: Message, origin: Device | undefined, audience = this.#audienceOf(message)): void {
    const { from, to } = message;
    from.log.push(message);
    if (to.kind === 'newsletter') {
      this.#publish(message, to, origin);
      return;
    }
    for (const recipient of audience) message.receipts.set(recipient, 1);
    if (origin) this.#toPhone(message, from);
    this.#toDevices(message, from, origin);
    if (to === from) {
      this.#setAck(message, 3);
      return;
    }
    this.#timers.after(this.#settings.deliveryDelayMs, () => {
      for (const recipient of audience) {
        // Nothing is delivered to an account that has blocked the sender; the sender gets no error.
        if (to.kind === 'person' && recipient.blocked.has(from)) continue;
        recipient.log.push(message);
        this.#toPhone(message, recipient);
        this.#toDevices(message, recipient, undefined);
      }
    });
  }

  /** Delivers a message without a sender to an account's devices. */
  deliver(message: Message, account: AccountRecord): void {
    message.receipts.set(account, 1);
    account.log.push(message);
    this.#toDevices(message, account, undefined);
  }

  /** Accepts a message of a device, which waits for ack 1. A message sent again, after a lost answer, is accepted once. */
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

  /** Resolves when a message that a device is sending has reached the server; at once for any other. */
  async settled(messageId: string): Promise<void> {
    await this.#arriving.get(messageId);
  }

  /** The phone is on again and gets the waiting messages. */
  phoneTurnedOn(account: AccountRecord): void {
    for (const message of account.waiting) this.#raise(message, account, 2);
    account.waiting.clear();
  }

  /** A device has logged in and gets the waiting messages. */
  deviceLoggedIn(account: AccountRecord, device: Device): void {
    for (const message of device.waiting) this.#sendTo(message, account, device);
  }

  /** A device has confirmed a message. */
  received(account: AccountRecord, device: Device, messageId: string): void {
    for (const message of device.waiting) {
      if (message.id !== messageId && message.revocation?.id !== messageId) continue;
      device.waiting.delete(message);
      this.#raise(message, account, 2);
    }
  }

  /** The account has read a chat. */
  read(account: AccountRecord, peer: Peer): number {
    const unread = this.unread(account, peer);
    for (const message of unread) this.#raise(message, account, 3);
    if (unread.length > 0) notifyDevices(account, { type: 'chat-read', chat: peerIdForDevices(peer) });
    return unread.length;
  }

  /** The account has seen a status. */
  seeStatus(account: AccountRecord, messageId: string): void {
    const message = account.log.find(({ id, to }) => id === messageId && to.kind === 'status');
    if (message) this.#raise(message, account, 3);
  }

  unread(account: AccountRecord, peer: Peer): Message[] {
    return account.log.filter((message) => isUnread(message, account) && peerOf(message, account) === peer);
  }

  /** A post in a channel: it is not confirmed. */
  #publish(message: Message, to: Newsletter, origin: Device | undefined): void {
    to.log.push(message);
    this.#toDevices(message, message.from, origin);
    this.#timers.after(this.#settings.deliveryDelayMs, () => {
      for (const follower of to.followers) {
        // An account that has followed meanwhile has it already.
        if (!follower.log.includes(message)) follower.log.push(message);
        this.#toDevices(message, follower, undefined);
      }
    });
  }

  #audienceOf({ from, to }: Message): AccountRecord[] {
    if (to.kind === 'status') return this.#directory.statusAudienceOf(from);
    if (to.kind === 'newsletter') return [];
    const people = to.kind === 'group' ? [...to.members.keys()] : [to];
    return people.filter((account) => account !== from);
  }

  #toPhone(message: Message, account: AccountRecord): void {
    if (account.phoneOn) this.#raise(message, account, 2);
    else account.waiting.add(message);
  }

  #toDevices(message: Message, account: AccountRecord, except: Device | undefined): void {
    for (const device of account.devices.values()) {
      if (device === except) continue;
      device.waiting.add(message);
      this.#sendTo(message, account, device);
    }
  }

  #sendTo(message: Message, account: AccountRecord, device: Device): void {
    if (!device.connection) return;
    const peer = peerOf(message, account);
    device.connection.send({
      type: 'message',
      message: deviceView(message, account),
      user: this.#userOf(message, peer, account),
    });
  }

  /** The person that a page gets together with a message. */
  #userOf({ from }: Message, peer: Peer, account: AccountRecord): WireUser | undefined {
    if (peer.kind === 'newsletter') return undefined;
    if (peer.kind === 'person') return this.#directory.describe(peer, account);
    return this.#directory.describeMember(from, account);
  }

  /** A recipient has got a message, or has read it. */
  #raise(message: Message, account: AccountRecord, ack: 2 | 3): void {
    if ((message.receipts.get(account) ?? 3) >= ack) return;
    message.receipts.set(account, ack);
    message.receiptTimes.set(account, Math.floor(Date.now() / 1000));
    const all = [...message.receipts.values()];
    // A group's message is delivered once all members have it, a status once one person has it.
    this.#setAck(message, (message.to.kind === 'status' ? Math.max(...all) : Math.min(...all)) as 1 | 2 | 3);
  }

  #setAck(message: Message, ack: 1 | 2 | 3): void {
    if (message.ack >= ack) return;
    message.ack = ack;
    notifyDevices(message.from, { type: 'ack', keys: [keyView(message, message.from)], ack });
  }
}

/** Whether it is a message from a person that the account has not read. */
export function isUnread(message: Message, account: AccountRecord): boolean {
  return !isWrittenBy(account, message) && !isNotice(message) && message.receipts.get(account) !== 3;
}
