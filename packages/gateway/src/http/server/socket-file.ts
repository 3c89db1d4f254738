import { once } from 'node:events';
import { chmod, chown, lstat, readFile, rm } from 'node:fs/promises';
import type { Server } from 'node:net';
import { dirname } from 'node:path';
import type { SocketFile } from '../../config.ts';
import { ConfigError } from '../../config-error.ts';
import { writableByOthers } from '../../host/folder-permissions.ts';
import { isListening } from '../../host/unix-sockets.ts';

/** Another process listens on the socket. */
export class SocketInUseError extends Error {
  constructor(path: string) {
    super(`${path} is in use: set CHAT_WEB_SOCKET to another path, or stop the process that listens there`);
    this.name = 'SocketInUseError';
  }
}

const NO_PERMISSIONS = 0o777;

/**
 * Listens on a unix socket; closing the server removes the file. Replaces a stale socket of the same user. Throws a
 * ConfigError if the path is unusable or other users could put their own socket there, which would receive every token;
 * a SocketInUseError if another process listens.
 */
export async function listenOnSocket(server: Server, { path, mode, group }: SocketFile): Promise<void> {
  const exposed = await writableByOthers(dirname(path)).catch(refuse);
  if (exposed !== undefined) {
    throw new ConfigError([
      `CHAT_WEB_SOCKET and all folders above it must be writable only by the gateway's user and root: ${exposed} is open to others`,
    ]);
  }
  const gid = group === undefined ? undefined : await groupNumber(group);
  await removeStale(path);
  await listen(server, path).catch(refuse);
  if (gid !== undefined) {
    await chown(path, -1, gid).catch(() => {
      throw new ConfigError(["CHAT_WEB_SOCKET_GROUP must be a group of the gateway's user"]);
    });
  }
  await chmod(path, mode);
}

/** Creates the socket without permissions, so that no one can connect before its mode is set. */
async function listen(server: Server, path: string): Promise<void> {
  const mask = process.umask(NO_PERMISSIONS);
  try {
    server.listen(path);
  } finally {
    process.umask(mask);
  }
  await once(server, 'listening');
}

async function removeStale(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (!found) return;
  if (!found.isSocket()) throw new ConfigError(['CHAT_WEB_SOCKET names a path that is not a socket: remove it']);
  if (found.uid !== process.geteuid?.()) {
    throw new ConfigError(['CHAT_WEB_SOCKET names a socket of another user: remove it']);
  }
  if (await isListening(path)) throw new SocketInUseError(path);
  await rm(path, { force: true });
}

async function groupNumber(group: string): Promise<number> {
  if (/^\d+$/.test(group)) return Number(group);
  const groups = (await readFile('/etc/group', 'utf8').catch(() => '')).split('\n').map((line) => line.split(':'));
  const gid = groups.find(([name]) => name === group)?.[2];
  if (gid === undefined) throw new ConfigError(['CHAT_WEB_SOCKET_GROUP must be a name in /etc/group, or a number']);
  return Number(gid);
}

function refuse(error: NodeJS.ErrnoException): never {
  const why = error.code === 'ENOENT' ? 'its folder does not exist' : error.code;
  throw new ConfigError([`CHAT_WEB_SOCKET cannot be used: ${why}`]);
}
