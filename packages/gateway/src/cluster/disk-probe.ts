import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorText, withDeadline } from '@chat-web/protocol';
import { errnoOf } from '../host/errno.ts';
import { readOwnText, replaceText } from '../host/text-files.ts';

const PROBE_FILE = 'disk-probe';
const MAX_BYTES = 100;
const PROBE_EVERY_MS = 5_000;
const MAX_SILENCE_MS = 30_000;
const NO_ANSWER = `it has not answered for ${MAX_SILENCE_MS / 1_000} s`;
/** What proves that it is gone. A disk that is full, or a process without file descriptors, is not. */
const GONE: readonly (string | undefined)[] = ['ENOENT', 'ENOTDIR', 'EIO', 'EROFS', 'ESTALE', 'ENODEV', 'ENXIO'];

/** The file of a gateway that is gone: reads what is in it, so that a change can be seen. */
export async function probeIn(dataDir: string): Promise<string> {
  return readOwnText(join(dataDir, PROBE_FILE), MAX_BYTES).catch((error: unknown) => errorText(error));
}

/**
 * Writes a counter to the data folder, every 5 s, by path, and to the disk. Another machine or gateway can see from it
 * that this one still uses the folder; this one sees that the folder is gone, was replaced, does not answer, or is used
 * by another gateway.
 */
export class DiskProbe {
  readonly #dataDir: string;
  readonly #folder: string;
  readonly #id = randomUUID();
  #written: string | undefined;
  #count = 0;

  /** `folder`: its device and inode: see `folderIdentityOf`. */
  constructor(dataDir: string, folder: string) {
    this.#dataDir = dataDir;
    this.#folder = folder;
  }

  /** Resolves with what is wrong with the folder, or with undefined once the signal has aborted. */
  async watch(signal: AbortSignal): Promise<string | undefined> {
    while (!signal.aborted) {
      const startedAt = performance.now();
      const why = await withDeadline(this.#probe(), MAX_SILENCE_MS, () => NO_ANSWER);
      if (why !== undefined && !signal.aborted) return why;
      const rest = Math.max(0, startedAt + PROBE_EVERY_MS - performance.now());
      await delay(rest, undefined, { signal }).catch(() => {});
    }
    return undefined;
  }

  async #probe(): Promise<string | undefined> {
    const path = join(this.#dataDir, PROBE_FILE);
    try {
      const { dev, ino } = await stat(this.#dataDir);
      if (`${dev}:${ino}` !== this.#folder) return 'it was replaced by another folder';
      if (this.#written !== undefined && (await readOwnText(path, MAX_BYTES)) !== this.#written)
        return 'another gateway uses it';
      this.#count += 1;
      const text = `${this.#id} ${this.#count}\n`;
      await replaceText(path, text, { durably: true });
      this.#written = text;
      return undefined;
    } catch (error) {
      if (GONE.includes(errnoOf(error))) return errorText(error);
      this.#written = undefined; // It may have been replaced nevertheless.
      return undefined;
    }
  }
}
