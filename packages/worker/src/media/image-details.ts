import { open } from 'node:fs/promises';
import { firstBytes } from './file-content.ts';

const READ_BYTES = 65_536;
/** A picture with more blocks before its second frame is taken for an animation. */
const MAX_BLOCKS = 50_000;

/** What the header of a WebP says; undefined if it is not valid. */
export interface WebpHeader {
  readonly width: number;
  readonly height: number;
  readonly isAnimated: boolean;
}

/** True if the image has more than one frame. */
export async function isAnimated(path: string, mimeType: string): Promise<boolean> {
  if (mimeType === 'image/gif') return hasSecondFrame(path);
  if (mimeType === 'image/webp') return (await webpHeader(path))?.isAnimated ?? false;
  if (mimeType === 'image/avif') return (await firstBytes(path, 12)).toString('latin1', 8, 12) === 'avis';
  return mimeType === 'image/apng';
}

/** The size in pixels, from the first chunk: extended, lossless or lossy. */
export async function webpHeader(path: string): Promise<WebpHeader | undefined> {
  const head = await firstBytes(path, 30);
  if (head.length < 25) return undefined;
  const chunk = head.toString('latin1', 12, 16);
  if (chunk === 'VP8L' && head[20] === 0x2f) {
    const bits = head.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, isAnimated: false };
  }
  if (head.length < 30) return undefined;
  if (chunk === 'VP8X') {
    const flags = head[20] ?? 0;
    return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1, isAnimated: (flags & 2) !== 0 };
  }
  if (chunk !== 'VP8 ' || head.readUIntLE(23, 3) !== 0x2a019d) return undefined;
  return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff, isAnimated: false };
}

/** True if a GIF has a second frame. Reads no further than to that. */
async function hasSecondFrame(path: string): Promise<boolean> {
  const file = await open(path);
  const buffer = Buffer.alloc(READ_BYTES);
  let [from, length] = [0, 0];
  /** 0 after the end, which ends every loop here. */
  const byteAt = async (at: number): Promise<number> => {
    if (at < from || at >= from + length) {
      from = at;
      ({ bytesRead: length } = await file.read(buffer, 0, READ_BYTES, at));
    }
    return length === 0 ? 0 : (buffer[at - from] ?? 0);
  };
  const colorBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  try {
    let at = 13 + colorBytes(await byteAt(10));
    let frames = 0;
    for (let blocks = 0; blocks < MAX_BLOCKS; ) {
      const kind = await byteAt(at);
      if (kind === 0x2c) {
        frames += 1;
        if (frames === 2) return true;
        at += 11 + colorBytes(await byteAt(at + 9));
      } else if (kind === 0x21) at += 2;
      else return false;
      for (let size = await byteAt(at); size > 0; size = await byteAt(at)) {
        at += size + 1;
        blocks += 1;
        if (blocks === MAX_BLOCKS) return true;
      }
      at += 1;
    }
    return true;
  } finally {
    await file.close();
  }
}
