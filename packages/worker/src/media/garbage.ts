import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const LARGE_BYTES = 1_048_576;
const DELAY_MS = 500;

let timer: NodeJS.Timeout | undefined;
let gc: (() => void) | undefined;

/**
 * Schedules a garbage collection after a large file: an idle worker would otherwise keep the memory for long. Files in
 * quick succession share one collection.
 */
export function collectAfter(bytes: number): void {
  if (bytes < LARGE_BYTES) return;
  clearTimeout(timer);
  timer = setTimeout(collect, DELAY_MS).unref();
}

/** Node offers its collector only on request. The context to take it from costs memory: most sessions never need it. */
function collect(): void {
  if (!gc) {
    setFlagsFromString('--expose-gc');
    gc = runInNewContext('gc') as () => void;
  }
  gc();
}
