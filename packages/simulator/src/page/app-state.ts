import type { Connection } from './connection.ts';
import type { Requests } from './wire.ts';

/** How long a change waits in the queue of the page. */
const queuedMs = 100;

/**
 * Changes that the page has already made in its own models, and that are sent to the account's other devices. The
 * network gets them a moment later, and its answer is ignored.
 */
export class AppState {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  push<N extends 'mark-chat' | 'clear-chat' | 'star'>(
    name: N,
    params: Requests[N]['params'],
  ): { readonly status: 200 } {
    setTimeout(() => this.#connection.request(name, params).catch(() => undefined), queuedMs);
    return { status: 200 };
  }
}
