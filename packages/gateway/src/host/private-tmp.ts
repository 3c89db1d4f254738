import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readlink, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Log } from '../log.ts';
import { makeFolder } from './make-folder.ts';
import { emptyFolder, removeTree } from './remove-tree.ts';
import { ownerOf } from './unix-sockets.ts';

/** A socket path has at most 107 bytes, including what Chromium appends to the folder. */
const MAX_PATH_LENGTH = 107 - '/.org.chromium.Chromium.XXXXXX/SingletonSocket'.length;
const ELSEWHERE = 'chat-web-';

/** A temporary folder per session, removed with everything that its worker and browser leave. */
export class PrivateTmp {
  readonly #dir: string;

  constructor(dataDir: string) {
    this.#dir = join(dataDir, 'tmp');
  }

  /** Removes all folders that a previous gateway left. Logs what cannot be removed. */
  async clear(log: Pick<Log, 'warn'>): Promise<void> {
    makeFolder(this.#dir, log);
    await emptyFolder(this.#dir, log, (name) => this.#removeEntry(name));
  }

  async folderFor(sessionId: string): Promise<string> {
    await this.remove(sessionId);
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    const folder = join(this.#dir, entryOf(sessionId));
    if (Buffer.byteLength(folder) <= MAX_PATH_LENGTH) {
      await mkdir(folder, { mode: 0o700 });
      return folder;
    }
    const elsewhere = await mkdtemp(join(tmpdir(), ELSEWHERE));
    await symlink(elsewhere, folder); // So that a later cleanup finds it.
    return elsewhere;
  }

  remove(sessionId: string): Promise<void> {
    return this.#removeEntry(entryOf(sessionId));
  }

  async #removeEntry(name: string): Promise<void> {
    const path = join(this.#dir, name);
    const elsewhere = await readlink(path).catch(() => undefined);
    if (elsewhere !== undefined && (await isOurs(elsewhere))) await removeTree(elsewhere);
    await removeTree(path);
  }
}

/**
 * True for a folder that we created in the system's temporary folder. That one is shared and cleaned up by the system:
 * another user may have reused the name.
 */
async function isOurs(folder: string): Promise<boolean> {
  const isNamedAsOurs = dirname(folder) === tmpdir() && basename(folder).startsWith(ELSEWHERE);
  return isNamedAsOurs && (await ownerOf(folder, 'folder')) === process.geteuid?.();
}

function entryOf(sessionId: string): string {
  return createHash('sha256').update(sessionId).digest('hex').slice(0, 12);
}
