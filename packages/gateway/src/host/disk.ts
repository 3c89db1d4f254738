import { type FileHandle, lstat, opendir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { GatewayError } from '@chat-web/protocol';

/** Folders of a profile that Chromium can recreate: network cache, compiled code, shaders. */
const CACHES = [
  'Default/Cache',
  'Default/Code Cache',
  'Default/DawnGraphiteCache',
  'Default/DawnWebGPUCache',
  'Default/GPUCache',
  'Default/Shared Dictionary',
  'BrowserMetrics',
  'Crashpad',
  'DeferredBrowserMetrics',
  'GPUPersistentCache',
  'GrShaderCache',
  'GraphiteDawnCache',
  'ShaderCache',
  'component_crx_cache',
  'extensions_crx_cache',
];

/** A profile has some thousands of files. Measuring stops beyond this. */
const MAX_FILES = 100_000;
const FILES_AT_ONCE = 256;

/**
 * Disk usage of a folder, in bytes; 0 if it does not exist. Does not follow links. Counts at most 100,000 files, more
 * than any browser creates.
 */
export async function sizeOf(dir: string): Promise<number> {
  return (await sizeWithin(dir, MAX_FILES)).bytes;
}

async function sizeWithin(dir: string, maxFiles: number): Promise<{ bytes: number; files: number }> {
  const folders: string[] = [];
  let [bytes, files] = [0, 0];
  try {
    for await (const entry of await opendir(dir, { bufferSize: FILES_AT_ONCE })) {
      if (files >= maxFiles) break;
      files += 1;
      const path = join(dir, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else bytes += await sizeOfFile(path);
    }
  } catch {
    // It does not exist, or was removed meanwhile.
  }
  // After the folder is closed, so that nested folders do not each keep a descriptor open.
  for (const folder of folders) {
    const within = await sizeWithin(folder, maxFiles - files);
    bytes += within.bytes;
    files += within.files;
  }
  return { bytes, files };
}

export async function freeDiskBytes(dir: string): Promise<number> {
  return (await diskSpace(dir)).freeBytes;
}

/** 503 if the disk of a folder has less free space than this; `forWhat` ends the name of what is short. */
export async function requireFreeDisk(dir: string, minBytes: number, forWhat = ''): Promise<void> {
  if ((await freeDiskBytes(dir)) >= minBytes) return;
  throw new GatewayError(
    'insufficient_resources',
    `the disk of the data folder is short of space${forWhat} (CHAT_WEB_MIN_FREE_DISK_MB): free some`,
  );
}

/** The size of a folder's disk, and what is free of it for this user, in bytes. */
export async function diskSpace(dir: string): Promise<{ readonly freeBytes: number; readonly totalBytes: number }> {
  const { bavail, blocks, bsize } = await statfs(dir);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

/**
 * Removes the caches of a profile if they exceed `maxBytes` in total; never the page's data. Call only while no browser
 * uses the profile. Returns the bytes freed.
 */
export async function trimCaches(profileDir: string, maxBytes: number): Promise<number> {
  const caches = CACHES.map((name) => join(profileDir, name));
  let bytes = 0;
  for (const cache of caches) bytes += await sizeOf(cache);
  if (bytes <= maxBytes) return 0;
  for (const cache of caches) await rm(cache, { recursive: true, force: true });
  return bytes;
}

async function sizeOfFile(path: string): Promise<number> {
  const blocks = await lstat(path).then(
    (file) => file.blocks,
    () => 0, // It was removed meanwhile.
  );
  return blocks * 512;
}

/** Writes all bytes at a position; by default, after what was written before. */
export async function writeFully(file: FileHandle, bytes: Buffer, position?: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const at = position === undefined ? null : position + written;
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, at);
    if (bytesWritten === 0) throw new Error('the disk accepted no more bytes');
    written += bytesWritten;
  }
}
