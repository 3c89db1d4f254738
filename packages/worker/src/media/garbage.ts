import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const LARGE_BYTES = 1_048_576;
const DELAY_MS = 500;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
let timer: NodeJS.Timeout | undefined;

/**
 * Schedules a garbage collection after a large file: an idle worker would otherwise keep the memory for long. Files in
 * quick succession share one collection.
 */
export function collectAfter(bytes: number): void {
  if (bytes < LARGE_BYTES) return;
  clearTimeout(timer);
  timer = setTimeout(collect, DELAY_MS).unref();
}
