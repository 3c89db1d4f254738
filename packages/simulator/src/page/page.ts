import { AppState } from './app-state.ts';
import { Connection } from './connection.ts';
import type { Credentials } from './credentials.ts';
import { GroupQueries } from './group-queries.ts';
import { Keys } from './keys.ts';
import { Link, type LinkParts } from './link.ts';
import { Mailbox } from './mailbox.ts';
import { Outbox } from './outbox.ts';
import { Users } from './users.ts';

/** The parts of a page that its modules use. */
export interface Page extends LinkParts {
  readonly link: Link;
  readonly groupQueries: GroupQueries;
  readonly appState: AppState;
}

/** Creates the parts of a page; nothing is connected yet. */
export function createPage(url: string, reconnectDelayMs: number, credentials: Credentials): Page {
  const connection = new Connection(url, reconnectDelayMs);
  const users = new Users(connection);
  const keys = new Keys(connection);
  const mailbox = new Mailbox(connection, users, keys);
  const outbox = new Outbox(connection, mailbox, keys);
  const link = new Link(credentials, { connection, users, keys, mailbox, outbox });
  const [groupQueries, appState] = [new GroupQueries(connection), new AppState(connection)];
  return { connection, users, keys, mailbox, outbox, link, groupQueries, appState };
}
