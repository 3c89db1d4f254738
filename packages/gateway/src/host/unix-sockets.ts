import { lstat } from 'node:fs/promises';
import { createConnection } from 'node:net';

const TIMEOUT_MS = 1_000;

/** Errors of connecting that mean that no process listens. */
const NOT_LISTENING = [
  'ENOENT',
  'ECONNREFUSED',
  'ENOTSOCK',
  'EPROTOTYPE',
  'ENOTDIR',
  'ELOOP',
  'EINVAL',
  'ENAMETOOLONG',
];

/** True if a process listens on a socket; also if its queue is full, as of a hung process, or access is denied. */
export function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createConnection(path);
    const answer = (answered: boolean) => {
      probe.destroy();
      resolve(answered);
    };
    probe.setTimeout(TIMEOUT_MS, () => answer(true));
    probe.once('connect', () => answer(true));
    probe.once('error', (error: NodeJS.ErrnoException) => answer(!NOT_LISTENING.includes(error.code ?? '')));
  });
}

/** The owner's user id, if the path is of that kind. Does not follow links. */
export async function ownerOf(path: string, kind: 'socket' | 'folder' | 'link'): Promise<number | undefined> {
  const found = await lstat(path).catch(() => undefined);
  const isKind = { socket: found?.isSocket(), folder: found?.isDirectory(), link: found?.isSymbolicLink() }[kind];
  return isKind ? found?.uid : undefined;
}
