import type { Server } from 'node:http';
import { openFilesLimit } from '../host/open-files.ts';

/** What is left of the limit of open files is for browsers' pipes, the spool and the log. */
const SHARE_OF_OPEN_FILES = 0.75;

/** How many connections there are, and how many were closed at once since there were too many. */
export interface ConnectionCount {
  open(): Promise<number>;
  readonly dropped: number;
}

/** Bounds the connections of some servers together, so that whoever opens many takes no file from the sessions. */
export function limitConnections(servers: readonly Server[], most: number | undefined): ConnectionCount {
  const inAll = most ?? Math.floor(openFilesLimit() * SHARE_OF_OPEN_FILES);
  let dropped = 0;
  for (const server of servers) {
    server.maxConnections = Math.max(1, Math.floor(inAll / servers.length));
    server.on('drop', () => {
      dropped += 1;
    });
  }
  return {
    open: async () => (await Promise.all(servers.map(countOf))).reduce((sum, count) => sum + count, 0),
    get dropped() {
      return dropped;
    },
  };
}

function countOf(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)));
}
