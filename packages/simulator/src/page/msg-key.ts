import { switches } from './switches.ts';
import { createWid, type Wid } from './wid.ts';

/** What the library creates a key from, or the parts of an existing one. */
export type MsgKeyParts =
  | { from: Wid; to: Wid; id: string; participant?: Wid | undefined; selfDir: 'in' | 'out' }
  | { fromMe: boolean; remote: Wid; id: string; participant?: Wid | undefined };

/** A message's id: `<fromMe>_<chat>_<stanza id>`, in groups followed by the author. */
export class MsgKey {
  readonly fromMe: boolean;
  readonly remote: Wid;
  readonly id: string;
  readonly participant?: Wid;

  constructor(parts: MsgKeyParts) {
    this.fromMe = 'fromMe' in parts ? parts.fromMe : parts.selfDir === 'out';
    this.remote = 'remote' in parts ? parts.remote : this.fromMe || parts.to.isGroup() ? parts.to : parts.from;
    this.id = parts.id;
    if (parts.participant) this.participant = parts.participant;
    Object.assign(this, { [switches.idProperty]: this.toString() });
  }

  /** A new stanza id; asynchronous as in the real page. */
  static async newId(): Promise<string> {
    const bytes = crypto.getRandomValues(new Uint8Array(9));
    return `3EB0${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`.toUpperCase();
  }

  static from(key: string | MsgKey): MsgKey {
    return typeof key === 'string' ? MsgKey.fromString(key) : key;
  }

  /** As the real page, it splits at each separator: it cannot read an id that contains one. */
  static fromString(text: string): MsgKey {
    const [fromMe, remote = '', id, fourth, fifth] = text.split('_');
    const participant = fifth ?? (fourth === 'in' || fourth === 'out' ? undefined : fourth);
    if (!id || (fromMe !== 'true' && fromMe !== 'false')) throw new Error('MsgKey error: invalid key');
    const author = participant === undefined ? undefined : createWid(participant);
    return new MsgKey({ fromMe: fromMe === 'true', remote: createWid(remote), id, participant: author });
  }

  toString(): string {
    const author = this.participant ? `_${this.participant}` : '';
    return `${this.fromMe}_${this.remote}_${this.id}${author}`;
  }

  equals(other: unknown): boolean {
    return String(other) === this.toString();
  }
}
