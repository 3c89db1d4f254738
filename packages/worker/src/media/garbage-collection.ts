const LARGE_BYTES = 1_048_576;
const DELAY_MS = 500;

let timer: NodeJS.Timeout | undefined;

/**
 * Schedules a garbage collection after a large file: an idle worker would otherwise keep the memory for long. Files in
 * quick succession share one collection.
 */
export function collectGarbageAfter(bytes: number): void {
  if (bytes >= LARGE_BYTES) collectGarbageSoon();
}

/** Schedules a garbage collection after one-off work that has left much garbage. */
export function collectGarbageSoon(): void {
  clearTimeout(timer);
  // The worker runs with `--expose-gc`.
  timer = setTimeout(() => globalThis.gc?.(), DELAY_MS).unref();
}
