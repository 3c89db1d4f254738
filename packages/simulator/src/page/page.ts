import { Connection } from './connection.ts';
import type { Credentials } from './credentials.ts';
import { GroupQueries } from './group-queries.ts';
import { Keys } from './keys.ts';
import { Link, type LinkDependencies } from './link.ts';
import { Mailbox } from './mailbox.ts';
import { Outbox } from './outbox.ts';
import { Users } from './users.ts';
import type { Requests } from './wire.ts';

/** How long a change waits in the queue of the page. */
const QUEUED_MS = 100;

/**
 * Changes that the page has already made in its own models, and that are sent to the account's other devices. The
 * network gets them a moment later, and its answer is ignored.
 */
class AppState {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  push<N extends 'mark-chat' | 'clear-chat' | 'star'>(
    name: N,
    params: Requests[N]['params'],
  ): { readonly status: 200 } {
    this.#connection.later(QUEUED_MS, () => void this.#connection.request(name, params).catch(() => undefined));
    return { status: 200 };
  }
}

export interface Page extends LinkDependencies {
  readonly link: Link;
  readonly groupQueries: GroupQueries;
  readonly appState: AppState;
}

/** Creates the parts of a page; nothing is connected yet. */
export function createPage(url: string, credentials: Credentials): Page {
  const connection = new Connection(url);
  const users = new Users(connection);
  const keys = new Keys(connection);
  const mailbox = new Mailbox(connection, users, keys);
  const outbox = new Outbox(connection, mailbox, keys);
  const link = new Link(credentials, { connection, users, keys, mailbox, outbox });
  const [groupQueries, appState] = [new GroupQueries(connection), new AppState(connection)];
  return { connection, users, keys, mailbox, outbox, link, groupQueries, appState };
}
