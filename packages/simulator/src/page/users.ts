import type { Connection } from './connection.ts';
import { addDeviceContact, contacts, updateContact } from './models/contact.ts';
import { MsgKey } from './msg-key.ts';
import { switches } from './switches.ts';
import { createWid, type Wid } from './wid.ts';
import type { WireSelf, WireUser } from './wire.ts';

/** Numbers, hidden numbers (`@lid`) and names of the people that this page knows. */
export class Users {
  readonly #connection: Connection;
  readonly #byId = new Map<string, WireUser>();
  #self: WireSelf | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The account itself; undefined until the network has admitted this device. */
  get self(): WireSelf | undefined {
    return this.#self;
  }

  setSelf(self: WireSelf): void {
    this.#self = self;
    this.update(self);
    contacts.get(self.pn)?.set({ disappearingModeDuration: self.messageTimer || undefined });
    if (switches.deviceContact) addDeviceContact(self.pn.replace('@', ':1@'));
  }

  /** What this page has changed of the account. */
  changeSelf(change: Partial<WireSelf>): void {
    if (this.#self) this.#self = { ...this.#self, ...change };
  }

  update(user: WireUser): void {
    // The data of a member of a shared group may lack the number; a number known before is kept.
    const pn = user.pn ?? this.#byId.get(user.lid)?.pn;
    const whole: WireUser = pn === undefined ? user : { ...user, pn };
    this.#byId.set(user.lid, whole);
    if (pn !== undefined) this.#byId.set(pn, whole);
    updateContact(whole, whole.lid === this.#self?.lid);
  }

  /** Adds the number of a person who may be known by hidden id only. */
  addNumber(lid: string, pn: string): void {
    const stranger = { lid, chat: lid, pushname: '', isBusiness: false, isBlocked: false };
    this.update({ ...(this.#byId.get(lid) ?? stranger), pn });
  }

  known(id: Wid | string): WireUser | undefined {
    return this.#byId.get(String(id));
  }

  /** Always sends a request; undefined if the id is not registered. Hangs while offline. */
  async query(id: Wid): Promise<WireUser | undefined> {
    const user = await this.#connection.request('exists', { jid: String(id) });
    if (!user) return undefined;
    // The answer may contain the number behind a LID.
    if (!this.known(id) || (user.pn !== undefined && !this.known(user.pn))) this.update(user);
    return user;
  }

  /** Always sends a request. */
  async findByUsername(name: string, pin: string | undefined): Promise<WireUser | { needsPin: true } | null> {
    const found = await this.#connection.request('username', { name, pin });
    if (found && !('needsPin' in found)) this.update(found);
    return found;
  }

  /** Sends a request only for people that are not known yet. */
  async resolve(id: Wid): Promise<WireUser | undefined> {
    return this.known(id) ?? this.query(id);
  }

  /** True for both ids of the account itself. */
  isMe(id: Wid | string): boolean {
    return [this.#self?.pn, this.#self?.lid].includes(String(id));
  }

  /** The account's own id; throws before there is one. */
  ownWid(kind: 'pn' | 'lid'): Wid {
    if (!this.#self) throw new Error('not linked');
    return createWid(this.#self[kind]);
  }

  lidOf(id: Wid): Wid | undefined {
    const lid = this.known(id)?.lid;
    // A bot has neither a number nor a hidden one.
    return lid?.endsWith('@lid') ? createWid(lid) : undefined;
  }

  numberOf(id: Wid): Wid | undefined {
    const pn = this.known(id)?.pn;
    return pn === undefined ? undefined : createWid(pn);
  }

  /** The key of a message by the other id of its chat with a person, or else of its author. */
  otherKey({ fromMe, remote, id, participant }: MsgKey): MsgKey | undefined {
    const isOfTwo = remote.isUser();
    const who = isOfTwo ? remote : participant;
    const other = who && (who.isLid() ? this.numberOf(who) : this.lidOf(who));
    if (!other) return undefined;
    return new MsgKey(
      isOfTwo ? { fromMe, remote: other, id, participant } : { fromMe, remote, id, participant: other },
    );
  }

  titleOf(id: Wid | string): string {
    const user = this.known(id);
    return user?.name ?? user?.pushname ?? String(id).replace(/@.*/, '');
  }
}
