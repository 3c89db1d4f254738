import type { Agent } from 'node:http';
import { errnoOf } from './errno.ts';
import { numberIn, readText } from './text-files.ts';

/** Used if the limit is unknown. */
const USUAL_OPEN_FILES = 1_024;

/** How many files this process may have open, including connections. */
export function maxOpenFiles(): number {
  return numberIn(readText('/proc/self/limits'), /^Max open files\s+(\d+)/m) ?? USUAL_OPEN_FILES;
}

/** How many connections an agent has, in use and idle. */
export function openSockets({ sockets, freeSockets }: Agent): number {
  const all = [...Object.values(sockets), ...Object.values(freeSockets)];
  return all.reduce((sum, some = []) => sum + some.length, 0);
}

/** True if no more files could be opened: that says nothing about the one that was to be opened. */
export function isOutOfFiles(error: unknown): boolean {
  return ['EMFILE', 'ENFILE'].includes(errnoOf(error) ?? '');
}
