import type { Readable } from 'node:stream';
import { messageReader } from '@chat-web/protocol';

/**
 * Returns the first line of a stream, and leaves the stream unchanged, to be read from its start. Undefined if the
 * stream ends before.
 */
export function firstLineOf(stream: Readable): Promise<Uint8Array | undefined> {
  return new Promise((resolve) => {
    const reader = messageReader();
    const chunks: Buffer[] = [];
    const settle = (line?: Uint8Array) => {
      stream.off('data', read).off('close', onClose).off('error', onClose).pause();
      if (line) stream.unshift(Buffer.concat(chunks));
      resolve(line);
    };
    const read = (chunk: Buffer) => {
      chunks.push(chunk);
      reader.feed(chunk);
      const line = reader.next();
      if (line) settle(Uint8Array.from(line));
    };
    const onClose = () => settle();
    stream.on('data', read).on('close', onClose).on('error', onClose);
  });
}
