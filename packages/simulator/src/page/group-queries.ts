import type { Connection } from './connection.ts';
import { createMexError, refusalStatus } from './errors.ts';
import { storedGroup, updateGroup } from './models/group.ts';
import { type GroupMetadata, groups } from './models/group-metadata.ts';
import { switches } from './switches.ts';
import type { Wid } from './wid.ts';
import type { Requests, WireGroup } from './wire.ts';

/** The result for a group that could not be loaded. */
interface Remains {
  readonly id: Wid;
  readonly stale: false;
}

/** How long the answer takes to reach the models; the caller does not wait for that. */
export const SETTLE_MS = 20;

/** Requests groups with their members from the network: slowly, and not many at once. */
export class GroupQueries {
  readonly #connection: Connection;
  readonly #flights = new Map<string, Promise<GroupMetadata | Remains>>();
  #running = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Rejects with the network's refusal; more requests than allowed at once are refused with 429. */
  ask(id: string): Promise<WireGroup> {
    return this.#request('group', { id });
  }

  async #request<N extends 'group' | 'groups'>(name: N, what: Requests[N]['params']): Promise<Requests[N]['result']> {
    if (this.#running >= switches.participantQueriesAtOnce) throw createMexError(429, 'rate-overlimit');
    this.#running += 1;
    try {
      if (switches.participantsDelayMs > 0) await pause(switches.participantsDelayMs);
      return await this.#connection.request(name, what);
    } finally {
      this.#running -= 1;
    }
  }

  /**
   * A group that the page has and that is not stale, even without members. Others are read from the page's database, or
   * requested if they are not stored.
   */
  async find(id: Wid): Promise<GroupMetadata | Remains> {
    const present = groups.get(id);
    if (present && !present.stale) return present;
    const group = storedGroup(String(id));
    return group ? updateGroup(group) : this.update(id);
  }

  /** All groups of the account, by one request; the models follow a moment later. */
  async updateAll(): Promise<void> {
    const all = await this.#request('groups', {});
    setTimeout(() => all.map(updateGroup), SETTLE_MS);
  }

  /** Always sends a request. With lazy members, a refusal looks like an empty group. */
  async update(id: Wid): Promise<GroupMetadata | Remains> {
    if (!switches.lazyParticipants) return updateGroup(await this.ask(String(id)));
    const flight = this.#flights.get(String(id)) ?? this.#load(id).finally(() => this.#flights.delete(String(id)));
    this.#flights.set(String(id), flight);
    return flight;
  }

  async #load(id: Wid): Promise<GroupMetadata | Remains> {
    try {
      return updateGroup(await this.ask(String(id)));
    } catch (error) {
      if (refusalStatus(error) === undefined) throw error;
      const present = groups.get(id);
      if (present) present.stale = false;
      return present ?? { id, stale: false };
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
