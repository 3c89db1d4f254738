import { once } from 'node:events';
import { access, chmod, constants, type FileHandle, mkdir, open } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import type { Log } from '../log.ts';
import { requireNotWorldWritable, requireOwn } from './folder-permissions.ts';
import { removeTree } from './remove-tree.ts';
import { isListening, ownerOf } from './unix-sockets.ts';

const NAME = 'gateway.lock';
const OWN = 0o700;
const { R_OK, W_OK, X_OK } = constants;

/** Another running gateway holds the data folder. */
export class DataDirInUseError extends Error {
  constructor(dataDir: string) {
    super(`${dataDir} is in use by another gateway: stop it, or set CHAT_WEB_DATA_DIR to another folder`);
    this.name = 'DataDirInUseError';
  }
}

/**
 * Locks the data folder for this process, and creates it if needed: two gateways on one folder would kill each other's
 * browsers and wipe each other's sessions. The lock is a listening socket, which needs no cleanup: it refuses
 * connections as soon as its owner is dead. Returns a function that releases the lock. Throws a ConfigError if every
 * user can write to the folder, or only another user, and logs a warning if every user can replace it; a
 * DataDirInUseError if it is locked.
 */
export async function holdDataDir(dataDir: string, log: Pick<Log, 'warn'>): Promise<() => Promise<void>> {
  await requireNotWorldWritable('CHAT_WEB_DATA_DIR', dataDir, log);
  await mkdir(dataDir, { recursive: true, mode: OWN });
  // A worker can take our permissions away. If it is another user's folder, the next call fails.
  await access(dataDir, R_OK | W_OK | X_OK).catch(() => chmod(dataDir, OWN).catch(() => {}));
  try {
    return await lock(dataDir);
  } catch (error) {
    if (!(error instanceof DataDirInUseError)) await requireOwn('CHAT_WEB_DATA_DIR', dataDir);
    throw error;
  }
}

async function lock(dataDir: string): Promise<() => Promise<void>> {
  const folder = await open(dataDir, 'r');
  const path = socketPath(dataDir, folder);
  try {
    // A link could name the socket of another service.
    const isSocket = (await ownerOf(path, 'socket')) !== undefined;
    if (isSocket && (await isListening(path))) throw new DataDirInUseError(dataDir);
    await removeTree(path); // Left by a dead gateway, or put there by a worker.
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

/** Socket paths are limited to about 100 bytes; on Linux the open folder provides a short path. */
function socketPath(dataDir: string, folder: FileHandle): string {
  return process.platform === 'linux' ? `/proc/self/fd/${folder.fd}/${NAME}` : join(dataDir, NAME);
}

async function listen(path: string): Promise<Server> {
  const server = createServer((connection) => connection.destroy())
    .listen(path)
    .unref();
  await once(server, 'listening');
  // Without a listener, a kernel error while accepting a connection would crash the gateway.
  server.on('error', () => {});
  return server;
}
