import { lstat } from 'node:fs/promises';
import { createConnection } from 'node:net';

const TIMEOUT_MS = 1_000;

/** What connecting to a path fails with where nobody can be listening there. */
const NOBODY = ['ENOENT', 'ECONNREFUSED', 'ENOTSOCK', 'EPROTOTYPE', 'ENOTDIR', 'ELOOP', 'EINVAL', 'ENAMETOOLONG'];

/**
 * Whether somebody listens on a socket. Also true for one whose queue is full, as of a process that hangs, and for one
 * that may not be connected to.
 */
export function isAnswered(path: string): Promise<boolean> {
  return new Promise((tell) => {
    const probe = createConnection(path);
    const answer = (answered: boolean) => {
      probe.destroy();
      tell(answered);
    };
    probe.setTimeout(TIMEOUT_MS, () => answer(true));
    probe.once('connect', () => answer(true));
    probe.once('error', (error: NodeJS.ErrnoException) => answer(!NOBODY.includes(error.code ?? '')));
  });
}

/** The user whom a path itself belongs to, where it is of that kind; a link is not followed. */
export async function ownerOf(path: string, kind: 'socket' | 'folder' | 'link'): Promise<number | undefined> {
  const found = await lstat(path).catch(() => undefined);
  const isKind = { socket: found?.isSocket(), folder: found?.isDirectory(), link: found?.isSymbolicLink() }[kind];
  return isKind ? found?.uid : undefined;
}
