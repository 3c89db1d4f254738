import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { GatewayError, type MediaFile, SpooledFile } from '@chat-web/protocol';
import { freeDiskBytes } from '../host/disk.ts';
import { type Hold, SpoolQuota } from './spool-quota.ts';

/** How much may lie in the spool, in bytes. */
export interface SpoolLimits {
  readonly spoolMaxBytes: number;
  readonly spoolSessionMaxBytes: number;
  readonly minFreeDiskBytes: number;
}

/** The folder through which bytes travel between processes. What is in it belongs to requests that run. */
export class Spool {
  readonly dir: string;
  readonly #minFreeDiskBytes: number;
  readonly #quota: SpoolQuota;

  /** Throws where the data folder cannot be written. */
  constructor(dataDir: string, limits: SpoolLimits) {
    this.dir = join(dataDir, 'spool');
    this.#minFreeDiskBytes = limits.minFreeDiskBytes;
    this.#quota = new SpoolQuota(limits);
    mkdirSync(this.dir, { recursive: true, mode: 0o700 });
  }

  /** How many bytes lie in it. */
  get bytes(): number {
    return this.#quota.bytes;
  }

  /** Throws where there is no room for another file of a session: 429 for its own share, 503 for the disk's. */
  async assertRoom(sessionId: string): Promise<void> {
    this.#quota.hold(sessionId).add(0);
    if ((await freeDiskBytes(this.dir)) >= this.#minFreeDiskBytes) return;
    throw new GatewayError(
      'insufficient_resources',
      'the disk of the data folder is short of space (CHAT_WEB_MIN_FREE_DISK_MB); free some',
    );
  }

  /** A folder of a session's own, empty: what its last worker has left there, half written, belongs to nobody. */
  async folderFor(sessionId: string): Promise<string> {
    const folder = join(this.dir, sessionId);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { mode: 0o700 });
    return folder;
  }

  /** Removes a session's folder: nothing of it runs any more. */
  async removeFolder(sessionId: string): Promise<void> {
    await rm(join(this.dir, sessionId), { recursive: true, force: true, maxRetries: 3 });
  }

  /** Empties the folder: what an earlier gateway has left belongs to nobody. */
  async clear(): Promise<void> {
    for (const name of await readdir(this.dir)) await rm(join(this.dir, name), { recursive: true, force: true });
  }

  /** A new file for what is sent to a session. Throws as `assertRoom`. */
  async create(sessionId: string): Promise<SpoolWriter> {
    await this.assertRoom(sessionId);
    const path = join(this.dir, randomUUID());
    return new SpoolWriter(path, await open(path, 'wx', 0o600), this.#quota.hold(sessionId));
  }

  /** Opens a file that a worker has put here, and removes its name: it is gone when it is closed, whatever happens. */
  async take({ path }: MediaFile): Promise<Download> {
    if (dirname(dirname(path)) !== this.dir)
      throw new GatewayError('internal_error', 'a worker named a file outside the spool');
    const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      throw new GatewayError('session_lost', 'the session ended before its file was taken over');
    });
    await rm(path, { force: true });
    const held = this.#quota.hold(basename(dirname(path)));
    const download = new Download(handle, held);
    try {
      held.add((await handle.stat()).size);
    } catch (error) {
      await download.close();
      throw error;
    }
    return download;
  }
}

/** A file on its way out, whose name is gone already. */
export class Download {
  readonly #handle: FileHandle;
  readonly #held: Hold;

  constructor(handle: FileHandle, held: Hold) {
    this.#handle = handle;
    this.#held = held;
  }

  /** Its bytes; closes the file at their end, and where nobody wants them any more. */
  stream(): Readable {
    return this.#handle.createReadStream().once('close', () => this.#held.release());
  }

  async close(): Promise<void> {
    await this.#handle.close();
    this.#held.release();
  }
}

/** An upload that lies in the spool, until whoever is done with it removes it. */
export class Upload {
  readonly file: SpooledFile;
  readonly #held: Hold;

  constructor(file: SpooledFile, held: Hold) {
    this.file = file;
    this.#held = held;
  }

  async remove(): Promise<void> {
    await rm(this.file.path, { force: true });
    this.#held.release();
  }
}

/** A spool file that is being written. */
export class SpoolWriter {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #held: Hold;
  #size = 0;

  constructor(path: string, handle: FileHandle, held: Hold) {
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
    return new Upload(new SpooledFile(this.#path, this.#size), this.#held);
  }

  async discard(): Promise<void> {
    await this.#handle.close().catch(() => {});
    await rm(this.#path, { force: true });
    this.#held.release();
  }
}
