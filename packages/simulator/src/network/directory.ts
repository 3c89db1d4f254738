import type { AccountSeed } from '../api.ts';
import type { WireSelf, WireUser } from '../page/wire.ts';
import { SimulatorError } from '../simulator-error.ts';
import { type AccountRecord, chatIdOf, createAccount } from './account.ts';

/** Who is registered. Those of the seed have each other in their address books; who is added later is a stranger. */
export class Directory {
  readonly #accounts = new Map<string, AccountRecord>();
  readonly #acquainted: ReadonlySet<string>;

  constructor(seeds: readonly AccountSeed[]) {
    for (const seed of seeds) this.add(seed);
    this.#acquainted = new Set(seeds.map(({ number }) => number));
  }

  add(seed: AccountSeed): AccountRecord {
    const account = createAccount(seed);
    if (this.find(account.pn)) throw new SimulatorError(409, `number: ${seed.number} is registered already`);
    if (this.find(account.lid)) throw new SimulatorError(409, `lid: ${account.lid} is taken already`);
    this.#accounts.set(account.number, account);
    return account;
  }

  all(): AccountRecord[] {
    return [...this.#accounts.values()];
  }

  /** By number, `<number>@c.us` or `<digits>@lid`. */
  find(id: string): AccountRecord | undefined {
    if (id.endsWith('@lid')) return this.all().find(({ lid }) => lid === id);
    return this.#accounts.get(id.replace(/@(c\.us|s\.whatsapp\.net)$/, ''));
  }

  /** The same, for what must be there; `field` says what named it. */
  get(id: string, field = 'number'): AccountRecord {
    const account = this.find(id);
    if (!account) throw new SimulatorError(404, `${field}: ${id} is not registered`);
    return account;
  }

  /** A person as `viewer` knows them. */
  describe(account: AccountRecord, viewer: AccountRecord): WireUser {
    const known = this.#acquainted.has(account.number) && this.#acquainted.has(viewer.number) && account !== viewer;
    const { pn, lid, name } = account;
    return { pn, lid, chat: chatIdOf(account), pushname: name, ...(known ? { name } : {}) };
  }

  describeSelf(account: AccountRecord): WireSelf {
    return { ...this.describe(account, account), platform: account.platform };
  }

  /** Everybody in the account's address book. */
  contactsOf(viewer: AccountRecord): WireUser[] {
    const users = this.all().map((account) => this.describe(account, viewer));
    return users.filter(({ name }) => name !== undefined);
  }
}
