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
/** Of the machine's own disk: how much lies between what is free at first, the mark, and what may be filled. */
const MARGIN_MB = 1_500;

/**
 * A disk for a data folder that a story may fill: one of its own in memory, to the last byte; where mounting is not
 * permitted, a part of the machine's own, whose mark is then set so high that large files reach it.
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

  /** Takes the space until only this much is left of what may be filled. Resolves with what is free then, in MB. */
  async fill(leaveMb: number): Promise<number> {
    const filler = join(this.#root, `filler-${this.#fillers.length}`);
    this.#fillers.push(filler);
    // Again where somebody else was quicker to take the last of it.
    await eventually(async () => {
      const bytes = (await freeBytes(this.#root)) - (this.#floorMb + leaveMb) * MB;
      if (bytes > 0) await run('fallocate', ['--length', `${bytes}`, filler]);
    });
    return Math.floor((await freeBytes(this.#root)) / MB);
  }

  /** Gives back all that was taken. */
  async free(): Promise<void> {
    for (const filler of this.#fillers.splice(0)) await rm(filler, { force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Lazily: what is still being closed must not keep it here.
    if (this.isMounted) await run('umount', ['--lazy', this.#root]);
    await rm(this.#root, { recursive: true, force: true });
  }
}

async function freeBytes(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}
