import type { AccountSeed } from '../control/inputs.ts';
import { SimulatorError } from '../errors.ts';
import type { WireSelf, WireUser } from '../page/wire.ts';
import { chatIdOf, platformOf, savedOnPhone } from './account.ts';
import { AccountRecord } from './records.ts';

/** The accounts at start; their numbers are reserved for fiction. */
export const seededAccounts: readonly AccountSeed[] = [
  { number: '12025550101', name: 'Ada Marsh', lid: '81604523377101' },
  { number: '12025550102', name: 'Ben Okafor', lid: '81604523377102', platform: 'iphone' },
  { number: '12025550103', name: 'Carla Ruiz', lid: '81604523377103', addressing: 'lid' },
  { number: '12025550104', name: 'Dev Patel', lid: '81604523377104' },
  { number: '12025550105', name: 'Edith Novak', lid: '81604523377105', platform: 'iphone', addressing: 'lid' },
  { number: '12025550106', name: 'Farid Haddad', lid: '81604523377106', username: 'farid.h' },
  { number: '12025550107', name: 'Grace Lindqvist', lid: '81604523377107' },
];

/** The registered accounts. Seeded accounts have each other in their address books, later ones are strangers. */
export class Directory {
  readonly #byNumber = new Map<string, AccountRecord>();
  readonly #byLid = new Map<string, AccountRecord>();

  constructor(seeds: readonly AccountSeed[]) {
    const accounts = seeds.map((seed) => this.add(seed));
    for (const account of accounts) {
      for (const other of accounts) if (other !== account) account.book.set(other, savedOnPhone(other.name));
    }
  }

  add(seed: AccountSeed): AccountRecord {
    const account = new AccountRecord(seed);
    if (this.find(account.pn)) throw new SimulatorError(409, `number: ${seed.number} is registered already`);
    if (this.find(account.lid)) throw new SimulatorError(409, `lid: ${account.lid} is taken already`);
    this.#byNumber.set(account.number, account);
    this.#byLid.set(account.lid, account);
    return account;
  }

  all(): AccountRecord[] {
    return [...this.#byNumber.values()];
  }

  /** By number, `<number>@c.us`, `<digits>@lid` or `<digits>@bot`. */
  find(id: string): AccountRecord | undefined {
    if (/@(lid|bot)$/.test(id)) return this.#byLid.get(id);
    return this.#byNumber.get(id.replace(/@(c\.us|s\.whatsapp\.net)$/, ''));
  }

  /** The same, also by another form of the number. */
  lookUp(id: string): AccountRecord | undefined {
    const digits = id.replace(/^\+|@c\.us$/g, '');
    return this.find(digits) ?? this.all().find(({ otherNumbers }) => otherNumbers.includes(digits));
  }

  /** As `find`, but throws if it is not found; `field` is the field that named it. */
  get(id: string, field = 'number'): AccountRecord {
    const account = this.find(id);
    if (!account) throw new SimulatorError(404, `${field}: ${id} is not registered`);
    return account;
  }

  ownerOf(deviceId: string): AccountRecord | undefined {
    return this.all().find(({ devices }) => devices.has(deviceId));
  }

  /** A person as `viewer` knows them. From then on the number is known, too. */
  describe(account: AccountRecord, viewer: AccountRecord): WireUser {
    viewer.disclosed.add(account);
    return this.describeMember(account, viewer);
  }

  /** The same for a member of a shared group: the number stays hidden unless it is known already. */
  describeMember(account: AccountRecord, viewer: AccountRecord): WireUser {
    const { pn, lid, name: pushname, isBusiness, addressing } = account;
    const saved = viewer.book.get(account);
    const isSavedByNumber = saved?.isByUsername === false;
    const isUnknown = addressing === 'lid' && !isSavedByNumber && !viewer.disclosed.has(account);
    const isHidden = account !== viewer && (account.hiddenNumber || isUnknown);
    return {
      lid,
      chat: chatIdOf(account),
      pushname,
      username: account.username,
      isBusiness,
      isBlocked: viewer.blocked.has(account),
      pn: isHidden ? undefined : pn,
      ...saved,
    };
  }

  describeSelf(account: AccountRecord): WireSelf {
    return {
      ...this.describe(account, account),
      pn: account.pn,
      platform: platformOf(account),
      privacy: account.privacy,
      contactChanges: account.contactChanges,
      messageTimer: account.messageTimer,
    };
  }

  /** The audience of the account's statuses: people who have each other in their address books. */
  statusAudienceOf(account: AccountRecord): AccountRecord[] {
    return [...account.book.keys()].filter(({ book, blocked }) => book.has(account) && !blocked.has(account));
  }
}
