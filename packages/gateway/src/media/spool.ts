import { createHash, type Hash, randomUUID } from 'node:crypto';
import { constants, openSync } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { errorText, GatewayError, type SpooledFile, UploadedFile } from '@chat-web/protocol';
import { freeDiskBytes } from '../host/disk.ts';
import { makeFolder } from '../host/make-folder.ts';
import { emptyFolder, removeTree } from '../host/remove-tree.ts';
import type { Log } from '../log.ts';
import { type QuotaLimits, type Reservation, SpoolQuota } from './spool-quota.ts';

const CHUNK_BYTES = 65_536;
const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY;
/** Does not follow links, and does not block on a pipe. */
const FILE_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Limits of the spool. */
export interface SpoolLimits extends QuotaLimits {
  readonly minFreeDiskBytes: number;
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

  /** Size of its files, in bytes. */
  get bytes(): number {
    return this.#quota.bytes;
  }

  /** Throws if a session cannot have another file: 429 for its own quota, 503 for the total quota or the disk. */
  async assertRoom(sessionId: string): Promise<void> {
    this.#quota.assertRoom(sessionId);
    if ((await freeDiskBytes(this.dir)) >= this.#minFreeDiskBytes) return;
    throw new GatewayError(
      'insufficient_resources',
      'the disk of the data folder is short of space (CHAT_WEB_MIN_FREE_DISK_MB): free some',
    );
  }

  /** Creates a session's folder, and removes what its previous worker left there. */
  async folderFor(sessionId: string): Promise<string> {
    const folder = join(this.dir, sessionId);
    await removeTree(folder);
    await mkdir(folder, { mode: 0o700 });
    return folder;
  }

  /** Removes the folder of a session that no longer runs. */
  async removeFolder(sessionId: string): Promise<void> {
    await removeTree(join(this.dir, sessionId));
  }

  /** Removes what a previous gateway process left. */
  clear(): Promise<void> {
    return emptyFolder(this.dir, this.#log);
  }

  /** A new file for an upload to a session. Throws like `assertRoom`. `isHashed`: its bytes will be compared later. */
  async create(sessionId: string, { isHashed = false } = {}): Promise<SpoolWriter> {
    await this.assertRoom(sessionId);
    const file = randomUUID();
    const path = join(this.dir, file);
    const handle = await open(path, 'wx', 0o600);
    const hash = isHashed ? createHash('sha256') : undefined;
    return new SpoolWriter(file, path, handle, this.#quota.reserve(sessionId), hash);
  }

  /**
   * Opens a file that a session's worker put into its folder, and unlinks it, so that closing it always frees its
   * space. Accepts only a regular file of the announced size in that folder: a worker could announce a link to a
   * foreign file, or a pipe that would block a thread forever. `session_lost`, `client_failed`, or as `assertRoom`.
   */
  async take(sessionId: string, { file, size }: SpooledFile): Promise<Download> {
    const folder = await openOwn(within(this.#folder, this.dir, sessionId), FOLDER_FLAGS | constants.O_NOFOLLOW);
    try {
      const path = within(folder.fd, join(this.dir, sessionId), file);
      const handle = await openOwn(path, FILE_FLAGS);
      const download = new Download(handle, size, this.#quota.reserve(sessionId));
      try {
        const found = await handle.stat();
        if (!found.isFile() || found.nlink !== 1) throw invalidFile('is not a regular file');
        if (found.size !== size) throw invalidFile('does not have the announced size');
        await rm(path, { force: true });
        download.reserve();
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
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new GatewayError('session_lost', 'the session ended before its file was read');
    throw invalidFile(`cannot be opened (${(error as NodeJS.ErrnoException).code ?? errorText(error)})`);
  }
}

function invalidFile(why: string): GatewayError {
  return new GatewayError('client_failed', `the file from the session's worker ${why}`);
}

/** An unlinked file that is being downloaded. */
export class Download {
  readonly #handle: FileHandle;
  readonly #size: number;
  readonly #reservation: Reservation;

  constructor(handle: FileHandle, size: number, reservation: Reservation) {
    this.#handle = handle;
    this.#size = size;
    this.#reservation = reservation;
  }

  /** Counts its size towards the quota. Throws if it does not fit. */
  reserve(): void {
    this.#reservation.add(this.#size);
  }

  /** Its bytes. The file is closed when the stream ends or is destroyed. */
  stream(): Readable {
    return Readable.from(this.#bytes()).once('close', () => void this.close());
  }

  /** Never rejects. */
  async close(): Promise<void> {
    this.#reservation.release();
    await this.#handle.close().catch(() => {});
  }

  /** Exactly the announced number of bytes, since the worker may still write to the file. Throws if there are fewer. */
  async *#bytes(): AsyncGenerator<Buffer> {
    for (let left = this.#size; left > 0; ) {
      const { bytesRead, buffer } = await this.#handle.read(Buffer.allocUnsafe(Math.min(left, CHUNK_BYTES)));
      if (bytesRead === 0) throw new Error('the file was truncated during the download');
      left -= bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }
}

/** An uploaded file in the spool. Its user removes it. */
export class Upload {
  readonly file: UploadedFile;
  readonly #path: string;
  readonly #reservation: Reservation;

  constructor(file: UploadedFile, path: string, reservation: Reservation) {
    this.file = file;
    this.#path = path;
    this.#reservation = reservation;
  }

  /** Never rejects: a file that cannot be removed is removed at the next start. */
  async remove(): Promise<void> {
    this.#reservation.release();
    await rm(this.#path, { force: true }).catch(() => {});
  }
}

/** A spool file that is being written. */
export class SpoolWriter {
  readonly #file: string;
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #reservation: Reservation;
  readonly #hash: Hash | undefined;
  #size = 0;

  constructor(file: string, path: string, handle: FileHandle, reservation: Reservation, hash: Hash | undefined) {
    this.#file = file;
    this.#path = path;
    this.#handle = handle;
    this.#reservation = reservation;
    this.#hash = hash;
  }

  /** Throws if the quota is exceeded. */
  async write(bytes: Buffer): Promise<void> {
    this.#reservation.add(bytes.length);
    this.#hash?.update(bytes);
    for (let at = 0; at < bytes.length; ) at += (await this.#handle.write(bytes, at)).bytesWritten;
    this.#size += bytes.length;
  }

  async finish(): Promise<Upload> {
    await this.#handle.close();
    const uploaded = new UploadedFile(this.#file, this.#size, this.#hash?.digest('base64url'));
    return new Upload(uploaded, this.#path, this.#reservation);
  }

  async discard(): Promise<void> {
    this.#reservation.release();
    await this.#handle.close().catch(() => {});
    await rm(this.#path, { force: true }).catch(() => {});
  }
}
