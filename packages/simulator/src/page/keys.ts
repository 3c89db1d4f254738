import type { Connection } from './connection.ts';
import { increment, readAll } from './database.ts';

/**
 * How often this device's keys have moved on, as the network's idea of which copy of a profile is the newest. They move
 * with each login and each message. The count is on the disk before the network hears of it: a browser that is killed
 * knows at least what the network knows, and only an older copy of its profile knows less.
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

  /** Moves on; resolves once the network has been told. Calls that come during a move share the next one. */
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
