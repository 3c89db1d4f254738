import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { SessionArchive } from '@chat-web/protocol';
import * as v from 'valibot';
import {
  ARCHIVE_LIMITS,
  type ArchivedFile,
  IN_PROFILE,
  isArchiveName,
  isRecreated,
  MANIFEST,
  type Manifest,
  manifest,
  PROFILE,
  PROFILE_FOLDERS,
  STATE,
} from './manifest.ts';
import { BLOCK_BYTES, END, encodeHeader, paddingOf } from './tar-blocks.ts';

/** The contents of an archive, apart from the list of its files. */
export interface ArchiveContents {
  /** The profile of a browser that is not running. */
  readonly profileDir: string;
  readonly state: Buffer;
  readonly about: Omit<Manifest, 'format' | 'version' | 'files'>;
}

/** A session's profile cannot be archived: `message` says why. */
export class UnfitProfileError extends Error {}

const CHUNK_BYTES = 65_536;
/** Does not follow links, and does not block on a pipe. */
const FILE_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Prepares the archive of a session. Reads all files twice: for their digests, and for the digest of the archive, which
 * its receiver gets before the first byte. `bytes` reads them a third time, and throws if one cannot be read or has
 * been truncated; the receiver checks with the digests that the bytes are unchanged. Rejects with an UnfitProfileError.
 */
export async function prepareArchive(contents: ArchiveContents, signal: AbortSignal): Promise<SessionArchive> {
  const files: ArchivedFile[] = [{ name: STATE, ...digestOf(contents.state) }];
  for (const name of await filesIn(contents.profileDir)) files.push({ name, ...(await digestOfFile(contents, name)) });
  const about: Manifest = { format: 'chat-web-session', version: 1, ...contents.about, files };
  const head = Buffer.from(JSON.stringify(about));
  requireFits(about, head.length);
  const hash = createHash('sha256');
  let size = 0;
  for await (const piece of pack(contents, about, head, signal)) {
    hash.update(piece);
    size += piece.length;
  }
  const contentDigest = `sha-256=:${hash.digest('base64')}:`;
  return { size, contentDigest, bytes: pack(contents, about, head, signal) };
}

/** An archive that no gateway would accept must not be exported: the session could not run anywhere. */
function requireFits(contents: Manifest, headBytes: number): void {
  const { manifestBytes, stateBytes } = ARCHIVE_LIMITS;
  const state = contents.files.find(({ name }) => name === STATE);
  if (headBytes <= manifestBytes && (state?.bytes ?? 0) <= stateBytes && v.is(manifest, contents)) return;
  throw new UnfitProfileError('its files or its state exceed the limits of an archive');
}

async function* pack(
  contents: ArchiveContents,
  { files, exportedAt }: Manifest,
  head: Buffer,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const mtime = new Date(exportedAt);
  const padded = (bytes: number) => Buffer.alloc(paddingOf(bytes));
  yield Buffer.concat([encodeHeader({ name: MANIFEST, bytes: head.length }, mtime), head, padded(head.length)]);
  for (const { name, bytes } of files) {
    signal.throwIfAborted();
    yield encodeHeader({ name, bytes }, mtime);
    if (name === STATE) yield contents.state;
    else yield* fileBytes(contents, name, bytes, signal);
    if (bytes % BLOCK_BYTES > 0) yield padded(bytes);
  }
  yield END;
}

async function* fileBytes(
  contents: ArchiveContents,
  name: string,
  bytes: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const file = await openFile(contents, name);
  try {
    for (let left = bytes; left > 0; ) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(Math.min(left, CHUNK_BYTES)));
      signal.throwIfAborted();
      if (bytesRead === 0) throw new UnfitProfileError('a file of the profile was truncated while it was read');
      left -= bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function digestOfFile(contents: ArchiveContents, name: string): Promise<Omit<ArchivedFile, 'name'>> {
  const file = await openFile(contents, name);
  try {
    const hash = createHash('sha256');
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    let bytes = 0;
    for (let read = await file.read(buffer); read.bytesRead > 0; read = await file.read(buffer)) {
      hash.update(buffer.subarray(0, read.bytesRead));
      bytes += read.bytesRead;
    }
    return { bytes, sha256: hash.digest('hex') };
  } finally {
    await file.close();
  }
}

function digestOf(bytes: Buffer): Omit<ArchivedFile, 'name'> {
  return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** A compromised worker may have put anything there. */
async function openFile({ profileDir }: ArchiveContents, name: string): Promise<FileHandle> {
  const file = await open(join(profileDir, IN_PROFILE, name.slice(PROFILE.length)), FILE_FLAGS);
  const found = await file.stat();
  if (found.isFile() && found.nlink === 1) return file;
  await file.close();
  throw new UnfitProfileError('the profile has an entry that is not a regular file');
}

/** A link could lead to another session's profile. */
async function requireFolder(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (!found) throw new UnfitProfileError(`the profile has no ${basename(path)}`);
  if (!found.isDirectory()) throw new UnfitProfileError('the profile has an entry that is not a folder');
}

/** The files that are needed, by their names in the archive, sorted. */
async function filesIn(profileDir: string): Promise<string[]> {
  const top = join(profileDir, IN_PROFILE);
  for (const path of [profileDir, top, ...PROFILE_FOLDERS.map((folder) => join(top, folder))])
    await requireFolder(path);
  const names: string[] = [];
  const folders: string[] = [...PROFILE_FOLDERS];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(join(top, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else if (isRecreated(entry.name)) continue;
      else if (entry.isFile() && isArchiveName(PROFILE + path)) names.push(PROFILE + path);
      else throw new UnfitProfileError('the profile has an entry that no browser creates');
    }
  }
  return names.sort();
}
