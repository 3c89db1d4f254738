import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { firstLineOf } from './child-programs.ts';

const run = promisify(execFile);
const BYTES = 400 * 1_048_576;

/** A disk for a data folder that can stop answering, as one over a network does. It needs root. */
export class FreezingDisk implements AsyncDisposable {
  readonly dataDir: string;
  readonly #root: string;

  private constructor(root: string) {
    this.#root = root;
    this.dataDir = join(root, 'mounted', 'data');
  }

  /** Undefined where disks cannot be mounted. */
  static async create(): Promise<FreezingDisk | undefined> {
    const root = await mkdtemp(join(tmpdir(), 'chat-web-freezing-'));
    const [image, mounted] = [join(root, 'image'), join(root, 'mounted')];
    try {
      await writeFile(image, '');
      await truncate(image, BYTES);
      await mkdir(mounted);
      await run('mkfs.ext4', ['-q', image]);
      await run('mount', ['-o', 'loop', image, mounted]);
    } catch {
      await rm(root, { recursive: true, force: true });
      return undefined;
    }
    const disk = new FreezingDisk(root);
    await mkdir(disk.dataDir);
    return disk;
  }

  /** Writes to it wait for so long, in whole seconds. Resolves with its end once it has begun. */
  async freeze(seconds: number): Promise<{ readonly ended: Promise<unknown> }> {
    // By another process: whatever happens to this one, it ends.
    const script = 'fsfreeze --freeze "$0" && echo frozen && sleep "$1"; fsfreeze --unfreeze "$0"';
    const args = ['-c', script, join(this.#root, 'mounted'), String(seconds)];
    const freezer = spawn('sh', args, { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = once(freezer, 'exit');
    await firstLineOf(freezer, freezer.stdout);
    return { ended };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await run('umount', ['--lazy', join(this.#root, 'mounted')]);
    await rm(this.#root, { recursive: true, force: true });
  }
}
