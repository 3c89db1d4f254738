import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readlink, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Log } from '../log.ts';
import { makeFolder } from './make-folder.ts';
import { emptyFolder, removeTree } from './remove-tree.ts';
import { ownerOf } from './unix-sockets.ts';

/** A socket's path may have 107 bytes, and this is what Chromium adds to the folder. */
const LONGEST_PATH = 107 - '/.org.chromium.Chromium.XXXXXX/SingletonSocket'.length;
const ELSEWHERE = 'chat-web-';

/** Temporary folders, one for each session: what its worker and browser leave behind goes with it. */
export class PrivateTmp {
  readonly #dir: string;

  constructor(dataDir: string) {
    this.#dir = join(dataDir, 'tmp');
  }

  /** Removes all of them: what an earlier gateway has left belongs to nobody. What cannot be removed is told. */
  async clear(log: Pick<Log, 'warn'>): Promise<void> {
    makeFolder(this.#dir, log);
    await emptyFolder(this.#dir, log, (name) => this.#removeEntry(name));
  }

  /** A session's folder, empty, for one run of it. */
  async folderFor(sessionId: string): Promise<string> {
    await this.remove(sessionId);
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    const folder = join(this.#dir, entryOf(sessionId));
    if (Buffer.byteLength(folder) <= LONGEST_PATH) {
      await mkdir(folder, { mode: 0o700 });
      return folder;
    }
    const elsewhere = await mkdtemp(join(tmpdir(), ELSEWHERE));
    await symlink(elsewhere, folder); // So that it is found again, whoever cleans up.
    return elsewhere;
  }

  /** Removes a session's folder, and all in it. */
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
 * A folder that was made there, and no way out of it. A shared folder for temporary files is emptied now and then:
 * another user may have taken the name since.
 */
async function isOurs(folder: string): Promise<boolean> {
  const isNamedAsOurs = dirname(folder) === tmpdir() && basename(folder).startsWith(ELSEWHERE);
  return isNamedAsOurs && (await ownerOf(folder, 'folder')) === process.geteuid?.();
}

function entryOf(sessionId: string): string {
  return createHash('sha256').update(sessionId).digest('hex').slice(0, 12);
}
