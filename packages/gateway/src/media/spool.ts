import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { GatewayError, type MediaFile, SpooledFile } from '@chat-web/protocol';

/** The folder through which bytes travel between processes. What is in it belongs to requests that run. */
export class Spool {
  readonly dir: string;

  /** Throws where the data folder cannot be written. */
  constructor(dataDir: string) {
    this.dir = join(dataDir, 'spool');
    mkdirSync(this.dir, { recursive: true, mode: 0o700 });
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

  async create(): Promise<SpoolWriter> {
    const path = join(this.dir, randomUUID());
    return new SpoolWriter(path, await open(path, 'wx', 0o600));
  }

  /** Opens a file that a worker has put here, and removes its name: it is gone when it is closed, whatever happens. */
  async take({ path }: MediaFile): Promise<FileHandle> {
    if (dirname(dirname(path)) !== this.dir)
      throw new GatewayError('internal_error', 'a worker named a file outside the spool');
    const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      throw new GatewayError('session_lost', 'the session ended before its file was taken over');
    });
    await rm(path, { force: true });
    return handle;
  }
}

/** Removes a spool file that nobody needs any more. */
export async function removeFile({ path }: SpooledFile): Promise<void> {
  await rm(path, { force: true });
}

/** A spool file that is being written. */
export class SpoolWriter {
  readonly #path: string;
  readonly #handle: FileHandle;
  #size = 0;

  constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  async write(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; ) at += (await this.#handle.write(bytes, at)).bytesWritten;
    this.#size += bytes.length;
  }

  async finish(): Promise<SpooledFile> {
    await this.#handle.close();
    return new SpooledFile(this.#path, this.#size);
  }

  async discard(): Promise<void> {
    await this.#handle.close().catch(() => {});
    await rm(this.#path, { force: true });
  }
}
