import { numberIn, readText } from './text-files.ts';

/** Used if the limit is unknown. */
const USUAL_LIMIT = 1_024;

/** The maximum number of open files, including connections, of this process. */
export function openFilesLimit(): number {
  return numberIn(readText('/proc/self/limits'), /^Max open files\s+(\d+)/m) ?? USUAL_LIMIT;
}
