import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { MediaFile } from '@chat-web/protocol';
import type { HandlerContext } from '../client/port.ts';
import { dropFile, type LoadedMedia, readSlice } from '../page/media.ts';

/** One slice of a file from the page: small enough that its base64 is not felt. */
const SLICE_BYTES = 1_048_576;
const SLICE_TIMEOUT_MS = 20_000;

/**
 * Has a script load media into the page under a key, then brings the bytes to a spool file, slice by slice. What the
 * script says where there are none is handed on.
 */
export async function takeFromPage<T extends string | null>(
  { page, spoolDir }: HandlerContext,
  fallbackType: string,
  load: (key: string) => Promise<LoadedMedia | T>,
): Promise<MediaFile | T> {
  const key = `blob:${randomUUID()}`;
  const path = join(spoolDir, randomUUID());
  const loaded = await load(key);
  if (loaded === null || typeof loaded === 'string') return loaded as T;
  const handle = await open(path, 'wx', 0o600);
  try {
    for (let at = 0; at < loaded.size; at += SLICE_BYTES) {
      const slice = await page.read(SLICE_TIMEOUT_MS, readSlice, key, at, at + SLICE_BYTES);
      await handle.write(Buffer.from(slice, 'base64'));
    }
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle.close();
    await page.read(SLICE_TIMEOUT_MS, dropFile, key).catch(() => {});
  }
  return {
    path,
    size: loaded.size,
    mimeType: loaded.mimeType ?? fallbackType,
    ...(loaded.filename ? { filename: loaded.filename } : {}),
  };
}
