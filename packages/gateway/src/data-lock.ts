import { once } from 'node:events';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { requireClosed } from './host/folder-guard.ts';
import { removeTree } from './host/remove-tree.ts';
import { isAnswered } from './host/unix-sockets.ts';
import type { Log } from './log.ts';

const NAME = 'gateway.lock';

/** The data folder is held by another gateway that runs. */
export class DataDirInUseError extends Error {
  constructor(dataDir: string) {
    super(`${dataDir} is in use by another gateway: end it, or set CHAT_WEB_DATA_DIR to another folder`);
    this.name = 'DataDirInUseError';
  }
}

/**
 * Holds the data folder for this process alone, and makes it where it is not there yet: two gateways on one folder would
 * end each other's browsers and wipe each other's sessions. The lock is a listening socket, which needs no clean-up: it
 * refuses connections as soon as its owner is dead, however it died. Returns what gives the folder back. Throws a
 * ConfigError where every user of the machine could put a lock, or a profile, into the folder; says so where they could
 * replace all of it.
 */
export async function holdDataDir(dataDir: string, log: Pick<Log, 'warn'>): Promise<() => Promise<void>> {
  await requireClosed('CHAT_WEB_DATA_DIR', dataDir, log);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const folder = await open(dataDir, 'r');
  const path = socketPath(dataDir, folder);
  try {
    if (await isAnswered(path)) throw new DataDirInUseError(dataDir);
    await removeTree(path); // A worker may have put anything there.
    const server = await listen(path);
    return async () => {
      server.close();
      await folder.close();
    };
  } catch (error) {
    await folder.close();
    throw error;
  }
}

/** A socket's path may have about 100 bytes; on Linux the open folder is a short way to it. */
function socketPath(dataDir: string, folder: FileHandle): string {
  return process.platform === 'linux' ? `/proc/self/fd/${folder.fd}/${NAME}` : join(dataDir, NAME);
}

async function listen(path: string): Promise<Server> {
  const server = createServer((connection) => connection.destroy())
    .listen(path)
    .unref();
  await once(server, 'listening');
  server.on('error', () => {}); // Without a listener, an error of the kernel's at a connection would end the gateway.
  return server;
}
