import { Header } from 'tar/header';

/** Everything in a tar is a multiple of this size. */
export const BLOCK_BYTES = 512;
/** Two empty blocks end an archive. */
export const END = Buffer.alloc(2 * BLOCK_BYTES);

/** A file in a tar: its header, without its bytes. */
export interface TarEntry {
  readonly name: string;
  readonly bytes: number;
}

/** How many zeros follow the bytes of a file. */
export function paddingOf(bytes: number): number {
  return (BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES;
}

/** The header of a plain file that only its owner may read. Throws if the name does not fit. */
export function encodeHeader({ name, bytes }: TarEntry, mtime: Date): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES);
  const header = new Header({ path: name, size: bytes, mtime, mode: 0o600, uid: 0, gid: 0, type: 'File' });
  if (header.encode(block)) throw new Error(`the name of ${name} is too long for an archive`);
  return block;
}

/** The block is not a header of a plain file; `why` is a clause about it. */
export class NotAFileError extends Error {}

/**
 * Reads the header of a plain file. Throws a NotAFileError for anything else: links, devices, folders and pipes, and
 * the headers of longer names and of other fields, which change the meaning of later headers.
 */
export function decodeHeader(block: Buffer): TarEntry {
  const header = readHeader(block);
  if (!header?.cksumValid) throw new NotAFileError('has a block that is not a header');
  if (header.type !== 'File') throw new NotAFileError(`has an entry that is not a regular file (${header.type})`);
  const { path, size } = header;
  if (path === undefined || size === undefined || header.linkpath) throw new NotAFileError('has an incomplete header');
  return { name: path, bytes: size };
}

function readHeader(block: Buffer): Header | undefined {
  try {
    return new Header(block);
  } catch {
    return undefined;
  }
}
