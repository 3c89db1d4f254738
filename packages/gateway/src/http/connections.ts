import type { Server } from 'node:http';
import { openFilesLimit } from '../host/open-files.ts';

/** The rest of the open files limit is for browser pipes, the spool and the log. */
const SHARE_OF_OPEN_FILES = 0.75;

/** The number of open connections, and of those dropped because the limit was reached. */
export interface ConnectionCount {
  open(): Promise<number>;
  readonly dropped: number;
}

/**
 * Limits the connections of all servers, so that clients cannot use up the file descriptors that sessions need.
 * `maxConnections`: of all servers together; undefined: three quarters of the open files limit.
 */
export function limitConnections(servers: readonly Server[], maxConnections: number | undefined): ConnectionCount {
  const total = maxConnections ?? Math.floor(openFilesLimit() * SHARE_OF_OPEN_FILES);
  let dropped = 0;
  for (const server of servers) {
    server.maxConnections = Math.max(1, Math.floor(total / servers.length));
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
