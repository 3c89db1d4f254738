import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from './eventually.ts';

const run = promisify(execFile);

const MB = 1_048_576;
const SIZE_MB = 240;
const MARK_MB = 60;
/** On the machine's own disk: from the initial free space to the mark, and from the mark to what must stay free. */
const MARGIN_MB = 1_500;

/**
 * A disk for a data folder that a story may fill. It is in memory, and can be filled to the last byte. Where mounting
 * is not permitted, it is a part of the machine's own disk, with a mark so high that large files reach it.
 */
export class SmallDisk implements AsyncDisposable {
  readonly dataDir: string;
  readonly isMounted: boolean;
  /** For CHAT_WEB_MIN_FREE_DISK_MB. */
  readonly markMb: number;
  readonly #root: string;
  readonly #floorMb: number;
  readonly #fillers: string[] = [];

  private constructor(root: string, isMounted: boolean, markMb: number, floorMb: number) {
    this.#root = root;
    this.dataDir = join(root, 'data');
    this.isMounted = isMounted;
    this.markMb = markMb;
    this.#floorMb = floorMb;
  }

  static async create(): Promise<SmallDisk> {
    const root = await mkdtemp(join(tmpdir(), 'chat-web-disk-'));
    const isMounted = await run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m`, 'chat-web', root]).then(
      () => true,
      () => false,
    );
    const markMb = isMounted ? MARK_MB : Math.floor((await freeBytes(root)) / MB) - MARGIN_MB;
    const disk = new SmallDisk(root, isMounted, markMb, isMounted ? 0 : markMb - MARGIN_MB);
    await mkdir(disk.dataDir);
    return disk;
  }

  /** Fills the space until only this much is left of what may be filled. Resolves with the free space then, in MB. */
  async fill(leaveMb: number): Promise<number> {
    const filler = join(this.#root, `filler-${this.#fillers.length}`);
    this.#fillers.push(filler);
    // Retried where another process took the last of it first.
    await eventually(async () => {
      const bytes = (await freeBytes(this.#root)) - (this.#floorMb + leaveMb) * MB;
      if (bytes > 0) await run('fallocate', ['--length', `${bytes}`, filler]);
    });
    return Math.floor((await freeBytes(this.#root)) / MB);
  }

  /** Frees all the space that was filled. */
  async free(): Promise<void> {
    for (const filler of this.#fillers.splice(0)) await rm(filler, { force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Lazily: files that are still being closed must not block it.
    if (this.isMounted) await run('umount', ['--lazy', this.#root]);
    await rm(this.#root, { recursive: true, force: true });
  }
}

async function freeBytes(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}
