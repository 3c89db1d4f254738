import { once } from 'node:events';
import { chmod, chown, lstat, readFile, rm } from 'node:fs/promises';
import type { Server } from 'node:net';
import { dirname } from 'node:path';
import { ConfigError } from '../config.ts';
import { openToOthers } from '../host/folder-guard.ts';
import { isAnswered } from '../host/unix-sockets.ts';

/** A unix socket to listen on. */
export interface SocketFile {
  readonly path: string;
  /** Who may connect: permission bits of the file. */
  readonly mode: number;
  /** The group whose the file is: a name of /etc/group, or a number. Absent: the gateway's own. */
  readonly group: string | undefined;
}

/** Another process listens on the socket. */
export class SocketInUseError extends Error {
  constructor(path: string) {
    super(`${path} is in use: set CHAT_WEB_SOCKET to another path, or end what listens there`);
    this.name = 'SocketInUseError';
  }
}

const NOBODY = 0o777;

/**
 * Listens on a unix socket; the file goes when the server closes. One that was left behind is replaced, if it is ours.
 * Throws a ConfigError where the path cannot be used, or others could put a socket of their own there, which would be
 * sent every token; a SocketInUseError where somebody listens.
 */
export async function listenOnSocket(server: Server, { path, mode, group }: SocketFile): Promise<void> {
  const exposed = await openToOthers(dirname(path)).catch(refuse);
  if (exposed !== undefined) {
    throw new ConfigError([
      `CHAT_WEB_SOCKET must lie in a folder that only the gateway's user and root may change, as must the folders above: ${exposed} is open to others`,
    ]);
  }
  const gid = group === undefined ? undefined : await groupNumber(group);
  await removeLeftover(path);
  await listen(server, path).catch(refuse);
  if (gid !== undefined) {
    await chown(path, -1, gid).catch(() => {
      throw new ConfigError(["CHAT_WEB_SOCKET_GROUP must be a group that the gateway's user is in"]);
    });
  }
  await chmod(path, mode);
}

/** Until its mode is set nobody may connect: a file is made by the mask of the process, which holds for this call alone. */
async function listen(server: Server, path: string): Promise<void> {
  const mask = process.umask(NOBODY);
  try {
    server.listen(path);
  } finally {
    process.umask(mask);
  }
  await once(server, 'listening');
}

async function removeLeftover(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (!found) return;
  if (!found.isSocket()) throw new ConfigError(['CHAT_WEB_SOCKET names something that is no socket: remove it']);
  if (found.uid !== process.geteuid?.()) {
    throw new ConfigError(['CHAT_WEB_SOCKET names a socket that another user has made: remove it']);
  }
  if (await isAnswered(path)) throw new SocketInUseError(path);
  await rm(path, { force: true });
}

async function groupNumber(group: string): Promise<number> {
  if (/^\d+$/.test(group)) return Number(group);
  const groups = (await readFile('/etc/group', 'utf8').catch(() => '')).split('\n').map((line) => line.split(':'));
  const gid = groups.find(([name]) => name === group)?.[2];
  if (gid === undefined) throw new ConfigError(['CHAT_WEB_SOCKET_GROUP must be a name of /etc/group, or a number']);
  return Number(gid);
}

function refuse(error: NodeJS.ErrnoException): never {
  const why = error.code === 'ENOENT' ? 'its folder does not exist' : error.code;
  throw new ConfigError([`CHAT_WEB_SOCKET cannot be used: ${why}`]);
}
