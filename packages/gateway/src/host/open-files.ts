import { numberIn, readText } from './text-files.ts';

/** Used if the limit is unknown. */
const USUAL_OPEN_FILES = 1_024;

/** How many files this process may have open, including connections. */
export function maxOpenFiles(): number {
  return numberIn(readText('/proc/self/limits'), /^Max open files\s+(\d+)/m) ?? USUAL_OPEN_FILES;
}

/** True if no more files could be opened: that says nothing about the one that was to be opened. */
export function isOutOfFiles(error: unknown): boolean {
  return ['EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException).code ?? '');
}
