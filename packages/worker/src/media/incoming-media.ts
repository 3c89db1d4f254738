import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cutText, GatewayError, LIMITS, type MediaFile, SHA256 } from '@chat-web/protocol';
import { DROP_TIMEOUT_MS } from '../client/page-access.ts';
import type { HandlerDependencies, PageArgs, PageResult } from '../client/port.ts';
import type { LoadedMedia } from '../page/media.ts';
import { collectGarbageAfter } from './garbage-collection.ts';

/**
 * Calls a function that loads media into the page, and copies the bytes to a spool file, piece by piece, with a time limit
 * in total. Returns its result if there are no media.
 */
export async function takeFromPage<N extends 'loadMedia' | 'loadPicture' | 'loadThumbnail'>(
  { page, spoolDir, spoolShare }: HandlerDependencies,
  fallbackType: string,
  timeoutMs: number,
  load: N,
  id: string,
  ...more: PageArgs<N> extends [id: string, key: string, ...more: infer M] ? M : never
): Promise<MediaFile | (null extends PageResult<N> ? null : never)> {
  const deadline = performance.now() + timeoutMs;
  const key = `blob:${randomUUID()}`;
  const held = spoolShare.hold();
  try {
    const loaded = await page.read(timeoutMs, load, ...([id, key, ...more] as unknown as PageArgs<N>));
    if (loaded === null) return null as null extends PageResult<N> ? null : never;
    const description = mediaDescription(loaded as LoadedMedia, fallbackType);
    const { size } = description;
    const file = randomUUID();
    held.add(size);
    await writeFile(join(spoolDir, file), page.readFile(Math.max(1, deadline - performance.now()), key, size));
    collectGarbageAfter(size);
    return { file, ...description };
  } finally {
    held.release(); // The gateway counts the file from here on.
    page.read(DROP_TIMEOUT_MS, 'dropFile', key).catch(() => {}); // Nothing waits for it.
  }
}

/** What the page says of media, as an answer without a file. Throws `client_failed` if their size is invalid. */
export function mediaDescription({ size, mimeType, filename, sha256 }: LoadedMedia, fallbackType: string): MediaFile {
  if (!Number.isSafeInteger(size) || size < 0)
    throw new GatewayError('client_failed', 'the page returned media without a valid size');
  return {
    size,
    mimeType: cutText((mimeType ?? fallbackType).replace(/[^\x20-\x7e]/g, '_'), LIMITS.mimeType),
    ...(filename ? { filename: cutText(filename.replace(/\p{Cc}/gu, '_'), LIMITS.filename) } : {}),
    ...(sha256 !== undefined && SHA256.test(sha256) ? { sha256 } : {}),
  };
}

/** Writes a new file, and removes it if that fails. */
async function writeFile(path: string, pieces: AsyncIterable<Buffer>): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    for await (const piece of pieces) await handle.writeFile(piece);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}
