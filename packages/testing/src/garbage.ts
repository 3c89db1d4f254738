import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/** Collects the garbage of this process, before it returns. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  collect ??= runInNewContext('gc') as () => void;
  collect();
}
