import type { FileHandle } from 'node:fs/promises';

/** Writes all bytes at a position; by default, after what was written before. */
export async function writeFully(file: FileHandle, bytes: Buffer, position?: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const at = position === undefined ? null : position + written;
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, at);
    if (bytesWritten === 0) throw new Error('the disk took no more bytes');
    written += bytesWritten;
  }
}
