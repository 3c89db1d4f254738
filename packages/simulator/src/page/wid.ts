import { switches } from './switches.ts';

const PATTERN = /^([\w.-]*?)(?::(\d+))?@(c\.us|s\.whatsapp\.net|g\.us|lid|bot|broadcast|newsletter|call)$/;
const DIGITS_ONLY = new Set(['c.us', 'lid', 'bot']);

/**
 * The id of a person, group or list: `<user>@<server>`. Its serialised form is an own property, named by the build.
 */
export class Wid {
  readonly server: string;
  readonly user: string;
  /** Identifies one device of a person; this is rarely intended. */
  readonly device?: number;

  constructor(text: string) {
    const [, user = '', device, server = ''] = PATTERN.exec(text) ?? [];
    this.server = server === 's.whatsapp.net' ? 'c.us' : server;
    this.user = user;
    if (user === '' || (DIGITS_ONLY.has(this.server) && !/^\d+$/.test(user))) throw new Error('wid error: invalid wid');
    if (device !== undefined) this.device = Number(device);
    Object.assign(this, { [switches.widProperty]: this.toString() });
  }

  /** True for a Wid, and for the plain object that JSON makes of one. */
  static isWid(value: unknown): boolean {
    return (
      value instanceof Wid || (typeof value === 'object' && value !== null && 'user' in value && 'server' in value)
    );
  }

  toString(): string {
    return `${this.user}${this.device === undefined ? '' : `:${this.device}`}@${this.server}`;
  }

  toJid(): string {
    return this.server === 'c.us' ? `${this.user}@s.whatsapp.net` : this.toString();
  }

  equals(other: unknown): boolean {
    return other instanceof Wid && other.toString() === this.toString();
  }

  isUser(): boolean {
    return this.server === 'c.us' || this.server === 'lid' || this.server === 'bot';
  }

  isLid(): boolean {
    return this.server === 'lid';
  }

  isGroup(): boolean {
    return this.server === 'g.us';
  }

  isBroadcast(): boolean {
    return this.server === 'broadcast';
  }

  isStatus(): boolean {
    return this.server === 'broadcast' && this.user === 'status';
  }

  isNewsletter(): boolean {
    return this.server === 'newsletter';
  }
}

/** A Wid from its text or from a wid-like object; throws `invalid wid` for anything else, such as a leading plus. */
export function createWid(value: string | { user: string; server: string }): Wid {
  if (value instanceof Wid) return value;
  if (typeof value === 'string') return new Wid(value);
  if (Wid.isWid(value)) return new Wid(`${value.user}@${value.server}`);
  throw new Error('wid error: invalid wid');
}
