import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type FileHandle, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { basename, dirname, join, resolve } from 'node:path';
import { isEventId } from '../listener/frames.ts';
import type { PositionStore } from '../listener/position-store.ts';

/** The lock of a position: a listening socket, so that the lock ends when its owner dies. */
interface Lock {
  /** Rejects if another listener has taken the lock. */
  check(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Keeps a listener's position in a file, across restarts and power failures. Only its user can read it. A second
 * listener on this machine is refused the same file: it would skip events. The folder must exist. For Linux and macOS.
 *
 * @example
 * const listener = listen(gateway, { position: filePosition('/var/lib/shop/position') });
 */
export function filePosition(path: string): PositionStore {
  const file = resolve(path);
  let lock: Lock | undefined;
  return {
    load: async () => {
      const held = await lockFile(file);
      try {
        const id = await readText(file);
        lock = held;
        return id;
      } catch (error) {
        await held.release();
        throw error;
      }
    },
    save: async (id) => {
      await lock?.check();
      await write(file, `${id}\n`);
    },
    close: async () => lock?.release(),
  };
}

async function readText(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  const id = text?.trim();
  // A wrong path may name another file: it is not overwritten.
  if (id !== undefined && !isEventId(id))
    throw new Error(`${file} contains no position: use another path, or delete it`);
  return id;
}

/** After a power failure, the file has either the old or the new content. */
async function write(file: string, text: string): Promise<void> {
  const temporary = `${file}.new`;
  await rm(temporary, { force: true }); // Left by a process that was killed, perhaps with another mode.
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
  const folder = await open(dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function lockFile(file: string): Promise<Lock> {
  const folder = await open(dirname(file), 'r');
  try {
    return await lockSocket(file, folder);
  } catch (error) {
    await folder.close();
    throw error;
  }
}

async function lockSocket(file: string, folder: FileHandle): Promise<Lock> {
  // Socket paths are limited to about 100 bytes; on Linux the open folder provides a short one.
  const near = process.platform === 'linux' ? `/proc/self/fd/${folder.fd}` : dirname(file);
  const path = join(near, `${basename(file)}.lock`);
  if (await isListening(path)) throw inUse(file);
  const left = await stat(path).catch(() => undefined);
  if (left && !left.isSocket()) throw new Error(`${file}.lock is in the way: use another path, or delete it`);
  // First under a separate name, so that this is certainly our socket; then it replaces a dead one.
  const own = join(near, `.${randomBytes(6).toString('hex')}`);
  const server = await listenOn(own, file);
  const { ino } = await stat(own);
  await rename(own, path);
  const isOurs = async () => (await stat(path).catch(() => undefined))?.ino === ino;
  return {
    // Two listeners that start at the same moment may both find the lock free: the one whose socket was replaced has
    // lost.
    check: async () => {
      if (!(await isOurs())) throw inUse(file);
    },
    release: async () => {
      if (await isOurs()) await rm(path, { force: true });
      await closed(server);
      await folder.close();
    },
  };
}

async function listenOn(path: string, file: string): Promise<Server> {
  const server = createServer((connection) => connection.destroy()).unref();
  server.listen(path);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? inUse(file) : error;
  }
  server.on('error', () => {}); // From a connection that was not accepted.
  return server;
}

function inUse(file: string): Error {
  return new Error(`${file} is in use by another listener: stop it, or give each its own file`);
}

function closed(server: Server): Promise<void> {
  return new Promise((done) => server.close(() => done()));
}

/** True if a process listens on this socket. */
function isListening(path: string): Promise<boolean> {
  return new Promise((done, reject) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      done(true);
    });
    socket.once('error', ({ code = '', message }: NodeJS.ErrnoException) => {
      if (['ENOENT', 'ECONNREFUSED', 'ENOTSOCK'].includes(code)) done(false);
      else reject(new Error(`the lock of the position cannot be checked: ${message}`));
    });
  });
}
