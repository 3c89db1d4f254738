import type { Server } from 'node:net';
import { openFilesLimit } from '../host/open-files.ts';

/** What is left of the limit of open files is for browsers' pipes, the spool and the log. */
const SHARE_OF_OPEN_FILES = 0.75;

/** How many connections there are, and how many were closed at once since there were too many. */
export interface ConnectionCount {
  open(): Promise<number>;
  readonly dropped: number;
}

/** Bounds the connections of a server, so that whoever opens many takes no file from the sessions. */
export function limitConnections(server: Server, most: number | undefined): ConnectionCount {
  server.maxConnections = most ?? Math.floor(openFilesLimit() * SHARE_OF_OPEN_FILES);
  let dropped = 0;
  server.on('drop', () => {
    dropped += 1;
    // Those that were kept for a next request make room for one that has come.
    if ('closeIdleConnections' in server) (server.closeIdleConnections as () => void)();
  });
  return {
    open: () => new Promise((resolve) => server.getConnections((error, open) => resolve(error ? 0 : open))),
    get dropped() {
      return dropped;
    },
  };
}
