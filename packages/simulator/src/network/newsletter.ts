import { randomBytes, randomInt } from 'node:crypto';
import { SimulatorError } from '../errors.ts';
import type { WireChannel } from '../page/wire.ts';
import type { AccountRecord, Newsletter } from './records.ts';

interface NewChannel {
  readonly id?: string | undefined;
  readonly name: string;
  readonly description?: string | undefined;
  readonly owner?: AccountRecord | undefined;
}

/** All channels; an unknown id creates one on first use. */
export class Newsletters {
  readonly #newsletters = new Map<string, Newsletter>();

  get(id: string): Newsletter {
    return this.#newsletters.get(id) ?? this.#add({ id, name: `Channel ${id.slice(14, 18)}` });
  }

  /** One that exists. 404 otherwise. */
  known(id: string): Newsletter {
    const found = this.#newsletters.get(id);
    if (!found) throw new SimulatorError(404, `channelId: there is no channel ${id}`);
    return found;
  }

  /** By its id, or by the code of its invitation. */
  find(key: string): Newsletter | undefined {
    return this.#newsletters.get(key) ?? [...this.#newsletters.values()].find(({ inviteCode }) => inviteCode === key);
  }

  create(parts: NewChannel): Newsletter {
    if (parts.id && this.#newsletters.has(parts.id))
      throw new SimulatorError(409, `id: there is a channel ${parts.id} already`);
    return this.#add(parts);
  }

  of(account: AccountRecord): Newsletter[] {
    return [...this.#newsletters.values()].filter(
      ({ owner, followers }) => owner === account || followers.has(account),
    );
  }

  #add({ id = randomId(), name, description = '', owner }: NewChannel): Newsletter {
    const inviteCode = `0029Va${randomBytes(8).toString('hex')}`;
    const rest = { description, inviteCode, owner, followers: new Set<AccountRecord>(), log: [] };
    const newsletter: Newsletter = { kind: 'newsletter', id, name, ...rest };
    this.#newsletters.set(id, newsletter);
    return newsletter;
  }
}

/** The account follows it from now on, and gets its earlier posts. */
export function follow(newsletter: Newsletter, account: AccountRecord): void {
  if (newsletter.owner === account || newsletter.followers.has(account)) return;
  newsletter.followers.add(account);
  account.log.push(...newsletter.log);
}

export function unfollow(newsletter: Newsletter, account: AccountRecord): void {
  newsletter.followers.delete(account);
  const left = account.log.filter(({ to }) => to !== newsletter);
  account.log.splice(0, account.log.length, ...left);
}

/** The channel as the account's pages see it. */
export function channelView(newsletter: Newsletter, account: AccountRecord): WireChannel {
  const { id, name, description, inviteCode, owner, followers } = newsletter;
  const role = owner === account ? 'owner' : followers.has(account) ? 'subscriber' : 'guest';
  return { id, name, description, inviteCode, role, followers: followers.size };
}

/** The channel as the control API shows it. */
export function describeChannel({ id, name, description, inviteCode, followers, log }: Newsletter) {
  return {
    id,
    name,
    description,
    inviteCode,
    followers: [...followers].map(({ number }) => number),
    posts: log.map((message) => ({ id: message.id, body: message.body })),
  };
}

function randomId(): string {
  return `1203${String(randomInt(1e14)).padStart(14, '0')}@newsletter`;
}
