import { randomUUID } from 'node:crypto';
import { constants, openSync } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { errorText, GatewayError, type SpooledFile, UploadedFile } from '@chat-web/protocol';
import { freeDiskBytes } from '../host/disk.ts';
import { makeFolder } from '../host/make-folder.ts';
import { emptyFolder, removeTree } from '../host/remove-tree.ts';
import type { Log } from '../log.ts';
import { type Hold, type QuotaLimits, SpoolQuota } from './spool-quota.ts';

const CHUNK_BYTES = 65_536;
const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY;
/** A pipe does not keep us waiting, a link is not followed. */
const FILE_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** What bounds the spool. */
export interface SpoolLimits extends QuotaLimits {
  readonly minFreeDiskBytes: number;
}

/** The folder through which bytes travel between processes. What is in it belongs to requests that run. */
export class Spool {
  readonly dir: string;
  readonly #log: Pick<Log, 'warn'>;
  readonly #minFreeDiskBytes: number;
  readonly #quota: SpoolQuota;
  /** The folder itself, whatever has its name by now: workers may rename what is in the data folder. */
  readonly #folder: number;

  /** Throws where the data folder cannot be written.  */
  constructor(dataDir: string, limits: SpoolLimits, log: Pick<Log, 'warn'>) {
    this.#log = log;
    this.dir = join(dataDir, 'spool');
    this.#minFreeDiskBytes = limits.minFreeDiskBytes;
    this.#quota = new SpoolQuota(limits);
    makeFolder(this.dir, log);
    this.#folder = openSync(this.dir, FOLDER_FLAGS);
  }

  /** How many bytes lie in it. */
  get bytes(): number {
    return this.#quota.bytes;
  }

  /** Throws where there is no room for another file of a session: 429 for its own share, 503 for the disk's. */
  async assertRoom(sessionId: string): Promise<void> {
    this.#quota.assertRoom(sessionId);
    if ((await freeDiskBytes(this.dir)) >= this.#minFreeDiskBytes) return;
    throw new GatewayError(
      'insufficient_resources',
      'the disk of the data folder is short of space (CHAT_WEB_MIN_FREE_DISK_MB); free some',
    );
  }

  /** A folder of a session's own, empty: what its last worker has left there, half written, belongs to nobody. */
  async folderFor(sessionId: string): Promise<string> {
    const folder = join(this.dir, sessionId);
    await removeTree(folder);
    await mkdir(folder, { mode: 0o700 });
    return folder;
  }

  /** Removes a session's folder: nothing of it runs any more. */
  async removeFolder(sessionId: string): Promise<void> {
    await removeTree(join(this.dir, sessionId));
  }

  /** Empties the folder: what an earlier gateway has left belongs to nobody. */
  clear(): Promise<void> {
    return emptyFolder(this.dir, this.#log);
  }

  /** A new file for what is sent to a session. Throws as `assertRoom`. */
  async create(sessionId: string): Promise<SpoolWriter> {
    await this.assertRoom(sessionId);
    const file = randomUUID();
    const path = join(this.dir, file);
    return new SpoolWriter(file, path, await open(path, 'wx', 0o600), this.#quota.hold(sessionId));
  }

  /**
   * Opens a file that a session's worker has put into its folder, and removes its name: it is gone when it is closed,
   * whatever happens. Nothing but a plain file of the announced size that is in that very folder: a worker could name,
   * or put there, a link to what is not its own, or a pipe at which a thread of ours would wait for ever.
   */
  async take(sessionId: string, { file, size }: SpooledFile): Promise<Download> {
    const folder = await openOwn(within(this.#folder, this.dir, sessionId), FOLDER_FLAGS | constants.O_NOFOLLOW);
    try {
      const path = within(folder.fd, join(this.dir, sessionId), file);
      const handle = await openOwn(path, FILE_FLAGS);
      const download = new Download(handle, size, this.#quota.hold(sessionId));
      try {
        const found = await handle.stat();
        if (!found.isFile() || found.nlink !== 1) throw notItsOwn('is no plain file');
        if (found.size !== size) throw notItsOwn('is not of the size that was announced');
        await rm(path, { force: true });
        download.hold();
        return download;
      } catch (error) {
        await download.close();
        throw error;
      }
    } finally {
      await folder.close();
    }
  }
}

/** What is in an open folder: on Linux no name of a folder on the way to it counts, which could be a link by now. */
function within(folder: number, dir: string, name: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${folder}/${name}` : join(dir, name);
}

async function openOwn(path: string, flags: number): Promise<FileHandle> {
  try {
    return await open(path, flags);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new GatewayError('session_lost', 'the session ended before its file was taken over');
    throw notItsOwn(`cannot be opened (${(error as NodeJS.ErrnoException).code ?? errorText(error)})`);
  }
}

function notItsOwn(why: string): GatewayError {
  return new GatewayError('client_failed', `the file that the session's worker named ${why}`);
}

/** A file on its way out, whose name is gone already. */
export class Download {
  readonly #handle: FileHandle;
  readonly #size: number;
  readonly #held: Hold;

  constructor(handle: FileHandle, size: number, held: Hold) {
    this.#handle = handle;
    this.#size = size;
    this.#held = held;
  }

  /** Counts it in the spool. Throws where there is no room for it. */
  hold(): void {
    this.#held.add(this.#size);
  }

  /** Its bytes; closes the file at their end, and where nobody wants them any more. */
  stream(): Readable {
    return Readable.from(this.#bytes()).once('close', () => void this.close());
  }

  /** Never rejects: what a file that cannot be closed leaves open is gone with this process. */
  async close(): Promise<void> {
    this.#held.release();
    await this.#handle.close().catch(() => {});
  }

  /** Just so many as were announced: whoever has put the file there may still write to it. Fails where there are fewer. */
  async *#bytes(): AsyncGenerator<Buffer> {
    for (let left = this.#size; left > 0; ) {
      const { bytesRead, buffer } = await this.#handle.read(Buffer.allocUnsafe(Math.min(left, CHUNK_BYTES)));
      if (bytesRead === 0) throw new Error('the media became shorter while they were sent');
      left -= bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }
}

/** An upload that lies in the spool, until whoever is done with it removes it. */
export class Upload {
  readonly file: UploadedFile;
  readonly #path: string;
  readonly #held: Hold;

  constructor(file: UploadedFile, path: string, held: Hold) {
    this.file = file;
    this.#path = path;
    this.#held = held;
  }

  /** Never rejects: what was answered stays so. What is left is removed at the next start. */
  async remove(): Promise<void> {
    this.#held.release();
    await rm(this.#path, { force: true }).catch(() => {});
  }
}

/** A spool file that is being written. */
export class SpoolWriter {
  readonly #file: string;
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #held: Hold;
  #size = 0;

  constructor(file: string, path: string, handle: FileHandle, held: Hold) {
    this.#file = file;
    this.#path = path;
    this.#handle = handle;
    this.#held = held;
  }

  /** Throws where the spool has no room for it. */
  async write(bytes: Buffer): Promise<void> {
    this.#held.add(bytes.length);
    for (let at = 0; at < bytes.length; ) at += (await this.#handle.write(bytes, at)).bytesWritten;
    this.#size += bytes.length;
  }

  async finish(): Promise<Upload> {
    await this.#handle.close();
    return new Upload(new UploadedFile(this.#file, this.#size), this.#path, this.#held);
  }

  async discard(): Promise<void> {
    this.#held.release();
    await this.#handle.close().catch(() => {});
    await rm(this.#path, { force: true }).catch(() => {});
  }
}
