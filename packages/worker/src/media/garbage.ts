import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const LARGE_BYTES = 1_048_576;
const DELAY_MS = 500;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
let timer: NodeJS.Timeout | undefined;

/**
 * Bytes that went through this process leave garbage behind, which a worker that then does nothing would keep for
 * long: it is collected soon, and once for many that come together.
 */
export function collectAfter(bytes: number): void {
  if (bytes < LARGE_BYTES) return;
  clearTimeout(timer);
  timer = setTimeout(collect, DELAY_MS).unref();
}
