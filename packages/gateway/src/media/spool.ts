import { createHash, randomUUID } from 'node:crypto';
import { constants, openSync } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { errorText, GatewayError, type SpooledFile, type UploadDescription, UploadedFile } from '@chat-web/protocol';
import { requireFreeDisk, writeFully } from '../host/disk.ts';
import { errnoOf } from '../host/errno.ts';
import { makeFolder } from '../host/make-folder.ts';
import { emptyFolder, removeTree } from '../host/remove-tree.ts';
import type { Log } from '../log.ts';
import { type QuotaLimits, SpoolQuota } from './spool-quota.ts';

const CHUNK_BYTES = 65_536;
const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY;
/** Does not follow links, and does not block on a pipe. */
const FILE_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export interface SpoolLimits extends QuotaLimits {
  readonly minFreeDiskBytes: number;
}

/** A part of a file: the first byte, and the number of bytes. */
export interface ByteRange {
  readonly start: number;
  readonly length: number;
}

/** An unlinked file that is being downloaded. */
interface Download {
  /** Its bytes, or those of a range. The file is closed when the stream ends or is destroyed. */
  stream(range?: ByteRange): Readable;
  /** Never rejects. */
  close(): Promise<void>;
}

/** An uploaded file in the spool. Its user removes it. */
export interface Upload {
  readonly file: UploadedFile;
  /** Never rejects: a file that cannot be removed is removed at the next start. */
  remove(): Promise<void>;
}

/** A spool file that is being written. */
export interface SpoolWriter {
  /** Throws if the quota is exceeded. */
  write(bytes: Buffer): Promise<void>;
  /** `described`: what the caller says that it is. */
  finish(described?: UploadDescription): Promise<Upload>;
  discard(): Promise<void>;
}

/** The folder for files passed between gateway and workers. Every file belongs to a request in progress. */
export class Spool {
  readonly dir: string;
  readonly #log: Pick<Log, 'warn'>;
  readonly #minFreeDiskBytes: number;
  readonly #quota: SpoolQuota;
  /** The open folder: workers can rename entries of the data folder, so its path may change. */
  readonly #folder: number;

  /** Throws if the data folder cannot be written. */
  constructor(dataDir: string, limits: SpoolLimits, log: Pick<Log, 'warn'>) {
    this.#log = log;
    this.dir = join(dataDir, 'spool');
    this.#minFreeDiskBytes = limits.minFreeDiskBytes;
    this.#quota = new SpoolQuota(limits);
    makeFolder(this.dir, log);
    this.#folder = openSync(this.dir, FOLDER_FLAGS);
  }

  /** How many of its files are open. */
  get openFiles(): number {
    return this.#quota.openFiles;
  }

  /** Size of its files, in bytes. */
  get bytes(): number {
    return this.#quota.bytes;
  }

  // The key is that of the caller; undefined for the operator.

  /** Throws if a session cannot have another file: 429 for its quota or the key's, 503 for the total one or the disk. */
  async requireRoom(sessionId: string, keyId?: string): Promise<void> {
    this.#quota.requireRoom(sessionId, keyId);
    await requireFreeDisk(this.dir, this.#minFreeDiskBytes);
  }

  /** Creates a session's folder, and removes what its previous worker left there. */
  async folderFor(sessionId: string): Promise<string> {
    const folder = join(this.dir, sessionId);
    await removeTree(folder);
    await mkdir(folder, { mode: 0o700 });
    return folder;
  }

  async removeFolder(sessionId: string): Promise<void> {
    await removeTree(join(this.dir, sessionId));
  }

  clear(): Promise<void> {
    return emptyFolder(this.dir, this.#log);
  }

  /** A new file for an upload to a session. Throws like `requireRoom`. `isHashed`: its bytes will be compared later. */
  async create(
    sessionId: string,
    { isHashed = false, keyId }: { readonly isHashed?: boolean; readonly keyId?: string | undefined } = {},
  ): Promise<SpoolWriter> {
    await this.requireRoom(sessionId, keyId);
    const file = randomUUID();
    const path = join(this.dir, file);
    const reservation = this.#quota.reserve(sessionId, keyId);
    const handle = await open(path, 'wx', 0o600).catch((error: unknown) => {
      reservation.release();
      throw error;
    });
    const hash = isHashed ? createHash('sha256') : undefined;
    let size = 0;
    const remove = async () => {
      reservation.release();
      await rm(path, { force: true }).catch(() => {});
    };
    return {
      write: async (bytes) => {
        reservation.add(bytes.length);
        hash?.update(bytes);
        await writeFully(handle, bytes);
        size += bytes.length;
      },
      finish: async (described) => {
        await handle.close();
        reservation.close();
        return { file: new UploadedFile({ file, size }, hash?.digest('base64url'), described), remove };
      },
      discard: async () => {
        await handle.close().catch(() => {});
        await remove();
      },
    };
  }

  /**
   * Opens a file that a session's worker put into its folder, and unlinks it, so that closing it always frees its
   * space. Accepts only a regular file of the announced size in that folder: a worker could announce a link to a
   * foreign file, or a pipe that would block a thread forever. `session_lost`, `client_failed`, or as `requireRoom`.
   */
  async take(sessionId: string, { file, size }: SpooledFile, keyId?: string): Promise<Download> {
    const folder = await openOwn(within(this.#folder, this.dir, sessionId), FOLDER_FLAGS | constants.O_NOFOLLOW);
    try {
      const path = within(folder.fd, join(this.dir, sessionId), file);
      const handle = await openOwn(path, FILE_FLAGS);
      const reservation = this.#quota.reserve(sessionId, keyId);
      const close = async () => {
        reservation.release();
        await handle.close().catch(() => {});
      };
      try {
        const found = await handle.stat();
        if (!found.isFile() || found.nlink !== 1) throw invalidFile('is not a regular file');
        if (found.size !== size) throw invalidFile('does not have the announced size');
        await rm(path, { force: true });
        reservation.add(size);
      } catch (error) {
        await close();
        throw error;
      }
      const stream = (range: ByteRange = { start: 0, length: size }) =>
        Readable.from(bytesOf(handle, range)).once('close', () => void close());
      return { close, stream };
    } finally {
      await folder.close();
    }
  }
}

/**
 * The path of an entry of an open folder. On Linux it does not depend on parent folders, which could be links by now.
 */
function within(folder: number, dir: string, name: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${folder}/${name}` : join(dir, name);
}

async function openOwn(path: string, flags: number): Promise<FileHandle> {
  try {
    return await open(path, flags);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT')
      throw new GatewayError('session_lost', 'the session ended before its file was read');
    throw invalidFile(`cannot be opened (${errnoOf(error) ?? errorText(error)})`);
  }
}

function invalidFile(why: string): GatewayError {
  return new GatewayError('client_failed', `the file from the session's worker ${why}`);
}

/** Exactly the announced number of bytes, since the worker may still write to the file. Throws if there are fewer. */
async function* bytesOf(handle: FileHandle, { start, length }: ByteRange): AsyncGenerator<Buffer> {
  const end = start + length;
  for (let at = start; at < end; ) {
    const room = Buffer.allocUnsafe(Math.min(end - at, CHUNK_BYTES));
    const { bytesRead, buffer } = await handle.read(room, 0, room.length, at);
    if (bytesRead === 0) throw new Error('the file was truncated during the download');
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
