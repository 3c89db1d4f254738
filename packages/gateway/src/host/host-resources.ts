import { MB } from '@chat-web/protocol';
import type { Config } from '../config.ts';
import { availableMemoryBytes } from './available-memory.ts';
import { freeDiskBytes } from './disk.ts';

/**
 * What the host lacks for another browser, as a sentence that says what to do; undefined if nothing. `returnedBytes`:
 * memory of the process being replaced.
 */
export async function hostShortage(
  { minFreeMemoryBytes, minFreeDiskBytes, dataDir }: Config,
  returnedBytes = 0,
): Promise<string | undefined> {
  const [memory, disk] = await Promise.all([availableMemoryBytes(), freeDiskBytes(dataDir)]);
  if (memory + returnedBytes < minFreeMemoryBytes) {
    return `the host is short of memory: ${inMb(memory)} available, ${inMb(minFreeMemoryBytes)} needed for a start (CHAT_WEB_MIN_FREE_MEMORY_MB); stop sessions, or add memory`;
  }
  if (disk < minFreeDiskBytes) {
    return `the disk of ${dataDir} is short of space: ${inMb(disk)} free, ${inMb(minFreeDiskBytes)} needed for a start (CHAT_WEB_MIN_FREE_DISK_MB); free some`;
  }
  return undefined;
}

function inMb(bytes: number): string {
  return `${Math.floor(bytes / MB)} MB`;
}
