import { createHash, randomBytes } from 'node:crypto';

/** A file on the media server. */
export interface StoredFile {
  /** The path under which it is fetched. */
  readonly path: string;
  readonly size: number;
  /** Hex, of the bytes as received. */
  readonly sha256: string;
  /** As received: joining them would double the memory of a large file. */
  readonly chunks: readonly Buffer[];
}

/** The media server's files. They are kept until they are dropped. */
export class MediaStore {
  readonly #files = new Map<string, StoredFile>();

  /** Stores a file; its path is unique, also for bytes that are stored already. */
  async receive(source: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<StoredFile> {
    const hash = createHash('sha256');
    const chunks: Buffer[] = [];
    for await (const chunk of source) {
      hash.update(chunk);
      chunks.push(chunk);
    }
    const size = chunks.reduce((total, { length }) => total + length, 0);
    const path = `/v/t62.7118-24/${randomBytes(12).toString('hex')}.enc`;
    const file = { path, size, sha256: hash.digest('hex'), chunks };
    this.#files.set(path, file);
    return file;
  }

  find(path: string): StoredFile | undefined {
    return this.#files.get(path);
  }

  /** Removes the file: its path is no longer found. */
  drop(path: string): void {
    this.#files.delete(path);
  }
}
