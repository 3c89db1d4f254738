import { numberIn, readText } from './text-files.ts';

/** Where the kernel does not tell. */
const USUAL_LIMIT = 1_024;

/** How many files, connections among them, this process may have open at a time. */
export function openFilesLimit(): number {
  return numberIn(readText('/proc/self/limits'), /^Max open files\s+(\d+)/m) ?? USUAL_LIMIT;
}
