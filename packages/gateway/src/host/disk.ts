import { lstat, opendir, rm, statfs } from 'node:fs/promises';
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

/** A profile has some thousands of files. One that has more than this is not measured to its end. */
const MOST_FILES = 100_000;
const FILES_AT_ONCE = 256;

/**
 * What the files in a folder take on the disk, in bytes; 0 where there is none. Links are not followed. Of more than
 * 100,000 files, which no browser makes, it tells what the first of them take.
 */
export async function sizeOf(dir: string): Promise<number> {
  return (await sizeWithin(dir, MOST_FILES)).bytes;
}

async function sizeWithin(dir: string, mostFiles: number): Promise<{ bytes: number; files: number }> {
  const folders: string[] = [];
  let [bytes, files] = [0, 0];
  try {
    for await (const entry of await opendir(dir, { bufferSize: FILES_AT_ONCE })) {
      if (files >= mostFiles) break;
      files += 1;
      const path = join(dir, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else bytes += await sizeOfFile(path);
    }
  } catch {
    // It is not there, or was removed while we looked.
  }
  // After it is closed: folders within folders must not each keep one open.
  for (const folder of folders) {
    const within = await sizeWithin(folder, mostFiles - files);
    bytes += within.bytes;
    files += within.files;
  }
  return { bytes, files };
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
