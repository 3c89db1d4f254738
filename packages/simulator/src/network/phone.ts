import type { OutgoingMessage, PhoneMessage } from '../api.ts';
import { SimulatorError } from '../simulator-error.ts';
import type { AccountRecord } from './account.ts';
import { createMessageId, type Message, peerOf, phoneView } from './message.ts';
import type { Network } from './network.ts';

/** Plays the phone of an account. All but turning it on needs it to be on. */
export class Phone {
  readonly #network: Network;
  readonly #account: AccountRecord;

  constructor(network: Network, number: string) {
    this.#network = network;
    this.#account = network.directory.get(number);
  }

  scan(qr: string): { deviceId: string } {
    return { deviceId: this.#network.linking.scan(this.#whenOn(), qr).id };
  }

  send({ to, body, quotedMessageId, decryptLateMs }: OutgoingMessage): PhoneMessage {
    const from = this.#whenOn();
    const message: Message = {
      ...{ id: createMessageId(from), from, to: this.#network.directory.get(to, 'to'), body, decryptLateMs, ack: 1 },
      timestamp: Math.floor(Date.now() / 1000),
      quoted: quotedMessageId === undefined ? undefined : this.#quote(quotedMessageId),
    };
    this.#network.postOffice.accept(message, undefined);
    return phoneView(message, from);
  }

  messages(peerId: string | undefined): PhoneMessage[] {
    const account = this.#account;
    const peer = peerId === undefined ? undefined : this.#network.directory.get(peerId, 'with');
    return account.log
      .filter((message) => !account.waiting.has(message) && (!peer || peerOf(message, account) === peer))
      .map((message) => phoneView(message, account));
  }

  read(from: string): { read: number } {
    const peer = this.#network.directory.get(from, 'from');
    return { read: this.#network.postOffice.read(this.#whenOn(), peer) };
  }

  turn(on: boolean): void {
    this.#account.phoneOn = on;
    if (on) this.#network.postOffice.phoneTurnedOn(this.#account);
  }

  logout(deviceId: string | undefined, times: number): { devices: number } {
    const { devices } = this.#whenOn();
    const chosen = [...devices.values()].filter(({ id }) => deviceId === undefined || id === deviceId);
    if (deviceId !== undefined && chosen.length === 0) {
      throw new SimulatorError(404, `deviceId: ${deviceId} is not linked to ${this.#account.number}`);
    }
    this.#network.linking.unlink(this.#account, chosen, times);
    return { devices: chosen.length };
  }

  /** Takes the network away from the linked devices, or gives it back. */
  connect(connected: boolean): void {
    this.#account.connected = connected;
    if (connected) return;
    for (const device of this.#account.devices.values()) device.line?.drop();
  }

  #whenOn(): AccountRecord {
    if (!this.#account.phoneOn) throw new SimulatorError(409, `the phone of ${this.#account.number} is off`);
    return this.#account;
  }

  #quote(messageId: string): Message['quoted'] {
    const stanzaId = messageId.split('_')[2] ?? messageId;
    const original = this.#account.log.find(({ id }) => id === stanzaId);
    if (!original) throw new SimulatorError(404, `quotedMessageId: the phone has no message ${messageId}`);
    return { id: original.id, author: original.from, body: original.body };
  }
}
