import type { Dirent } from 'node:fs';
import { lstat, readdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** What Chromium keeps in a profile and makes anew when it is gone: files of the network, compiled code, shaders. */
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

/** What the files in a folder take on the disk, in bytes; 0 where there is none. Links are not followed. */
export async function sizeOf(dir: string): Promise<number> {
  const entries = await readdir(dir, { withFileTypes: true }).catch((): Dirent[] => []);
  let bytes = 0;
  for (const entry of entries) {
    const path = join(dir, entry.name);
    bytes += entry.isDirectory() ? await sizeOf(path) : await sizeOfFile(path);
  }
  return bytes;
}

/** How many bytes we may still write to the disk that a folder lies on. */
export async function freeDiskBytes(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}

/**
 * Removes the caches from a profile once they take more than so many bytes in all; never what the page has stored.
 * Only while no browser runs on it. Returns how many bytes were freed.
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
    () => 0, // It was removed while we looked.
  );
  return blocks * 512;
}
