import { type FileHandle, open, rm } from 'node:fs/promises';
import { createConnection, createServer, type Server } from 'node:net';
import { join } from 'node:path';

const NAME = 'gateway.lock';

/** The data folder is held by another gateway that runs. */
export class DataDirInUseError extends Error {
  constructor(dataDir: string) {
    super(`${dataDir} is in use by another gateway: end it, or set CHAT_WEB_DATA_DIR to another folder`);
    this.name = 'DataDirInUseError';
  }
}

/**
 * Holds the data folder for this process alone: two gateways on one folder would end each other's browsers and wipe
 * each other's sessions. The lock is a listening socket, which nobody has to clean up after: it refuses connections as
 * soon as its owner is dead, however it died. Returns what gives the folder back.
 */
export async function holdDataDir(dataDir: string): Promise<() => Promise<void>> {
  const folder = await open(dataDir, 'r');
  const path = socketPath(dataDir, folder);
  try {
    if (await isAnswered(path)) throw new DataDirInUseError(dataDir);
    await rm(path, { force: true });
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

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createConnection(path);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(false));
  });
}

function listen(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((connection) => connection.destroy());
    server.once('error', reject);
    server.listen(path, () => resolve(server.unref()));
  });
}
