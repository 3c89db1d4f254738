import type { Connection } from './connection.ts';
import { increment, readAll } from './database.ts';

/**
 * Counts how often this device's keys have advanced: with each login, and with each message. The count is on the disk
 * before the network gets it. So the profile of a browser that is killed has the count of the network or a higher one,
 * and only an old copy of the profile has a lower one.
 */
export class Keys {
  readonly #connection: Connection;
  #moving: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The count in the profile. */
  async count(): Promise<number> {
    const [count = 0] = await readAll<number>('keys');
    return count;
  }

  /** Advances the count; resolves once it is on the disk and sent. Calls meanwhile share the next advance. */
  advance(): Promise<void> {
    this.#next ??= this.#moving.then(
      () => this.#begin(),
      () => this.#begin(),
    );
    return this.#next;
  }

  #begin(): Promise<void> {
    this.#next = undefined;
    this.#moving = this.#move();
    return this.#moving;
  }

  async #move(): Promise<void> {
    this.#connection.send({ type: 'keys', count: await increment('keys', 'count') });
  }
}
