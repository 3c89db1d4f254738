import { createHash, type Hash } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type ArchiveDigest, GatewayError, JsonBounds } from '@chat-web/protocol';
import * as v from 'valibot';
import { AT_FIRST_FAULT } from '../at-first-fault.ts';
import { writeFully } from '../host/disk.ts';
import { syncFolder } from '../host/text-files.ts';
import { ARCHIVE_LIMITS, type ArchivedFile, MANIFEST, type Manifest, manifest, STATE } from './manifest.ts';
import { BLOCK_BYTES, decodeHeader, END, NotAFileError, paddingOf, type TarEntry } from './tar-blocks.ts';

export interface Unpacking {
  /** The session that the archive must belong to. */
  readonly session: string;
  /** Those that the sender provided: each must match. */
  readonly digests: readonly ArchiveDigest[];
  /** Called with the manifest, before any file. Throws to refuse the archive, whatever follows. */
  onManifest(manifest: Manifest): void | Promise<void>;
  /** The path to write a file of the profile to. Its folder is created. */
  pathOf(name: string): string;
}

/** The contents of an archive, apart from its files. */
export interface Unpacked {
  readonly manifest: Manifest;
  readonly state: Buffer;
}

const OWN_FILE = 0o600;
const OWN_FOLDER = 0o700;
const otherVersion = v.object({ version: v.pipe(v.number(), v.notValue(1)) });
/** Programs pad a tar to a multiple of this. */
const MAX_PADDING = 10_240;

/**
 * Reads the archive of a session, and writes its files, which are on disk when this resolves. Nothing is trusted: the
 * manifest must be followed by exactly the files that it lists, in order, each with the stated size and digest. Rejects
 * with `invalid_archive`, with what `onManifest` throws, or with the error of the stream or the disk; some files may
 * have been written then.
 */
export function unpackArchive(chunks: AsyncIterable<Uint8Array>, unpacking: Unpacking): Promise<Unpacked> {
  return reading(chunks, unpacking.digests, (source) => unpack(source, unpacking));
}

/** The manifest of an archive, without reading the rest. Rejects like `unpackArchive`. */
export function readAbout(chunks: AsyncIterable<Uint8Array>): Promise<Manifest> {
  return reading(chunks, [], readManifest);
}

async function reading<T>(
  chunks: AsyncIterable<Uint8Array>,
  digests: readonly ArchiveDigest[],
  read: (source: ByteSource) => Promise<T>,
): Promise<T> {
  const source = new ByteSource(chunks, digests);
  try {
    return await read(source);
  } catch (error) {
    throw error instanceof NotAFileError ? invalid(error.message) : error;
  } finally {
    await source.close();
  }
}

async function unpack(source: ByteSource, unpacking: Unpacking): Promise<Unpacked> {
  const about = await readManifest(source);
  if (about.session !== unpacking.session) throw invalid('belongs to another session');
  await unpacking.onManifest(about);
  const folders = new Set<string>();
  let state: Buffer = Buffer.alloc(0);
  for (const listed of about.files) {
    expectEntry(await nextHeader(source), listed);
    if (listed.name === STATE) state = await readState(source, listed);
    else await writeFile(source, listed, unpacking.pathOf(listed.name), folders);
  }
  await expectEnd(source);
  if (!source.matches()) throw invalid('does not match its Content-Digest');
  for (const folder of folders) await syncFolder(folder);
  return { manifest: about, state };
}

async function readManifest(source: ByteSource): Promise<Manifest> {
  const { name, bytes } = await nextHeader(source);
  if (name !== MANIFEST) throw invalid(`does not begin with ${MANIFEST}`);
  if (bytes > ARCHIVE_LIMITS.manifestBytes) throw invalid('has a manifest that is too long');
  const written = parsedManifest(await source.take(bytes));
  await expectPadding(source, bytes);
  const parsed = v.safeParse(manifest, written, AT_FIRST_FAULT);
  if (parsed.success) return parsed.output;
  if (v.is(otherVersion, written)) throw invalid('has another format version: update the older gateway');
  // Only by a name of ours: others are arbitrary text.
  const field = String(parsed.issues[0].path?.[0].key);
  throw invalid(`has a manifest that is not valid (${Object.hasOwn(manifest.entries, field) ? field : 'the whole'})`);
}

function parsedManifest(bytes: Buffer): unknown {
  new JsonBounds(ARCHIVE_LIMITS.manifestJson, () => invalid('has a manifest with too many values or levels')).scan(
    bytes,
  );
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw invalid('has a manifest that is not valid (the whole)');
  }
}

async function nextHeader(source: ByteSource): Promise<TarEntry> {
  return decodeHeader(await source.take(BLOCK_BYTES));
}

function expectEntry(found: TarEntry, { name, bytes }: ArchivedFile): void {
  if (found.name !== name) throw invalid('does not have the files of its manifest');
  if (found.bytes !== bytes) throw invalid('has a file whose size differs from its manifest');
}

async function readState(source: ByteSource, { bytes, sha256 }: ArchivedFile): Promise<Buffer> {
  if (bytes > ARCHIVE_LIMITS.stateBytes) throw invalid(`has a ${STATE} that is too long`);
  const state = await source.take(bytes);
  if (createHash('sha256').update(state).digest('hex') !== sha256) throw changed();
  await expectPadding(source, bytes);
  return state;
}

async function writeFile(
  source: ByteSource,
  { bytes, sha256 }: ArchivedFile,
  path: string,
  folders: Set<string>,
): Promise<void> {
  await makeFolder(dirname(path), folders);
  const hash = createHash('sha256');
  const file = await open(path, 'wx', OWN_FILE);
  try {
    for (let left = bytes; left > 0; ) {
      const piece = await source.some(left);
      hash.update(piece);
      await writeFully(file, piece);
      left -= piece.length;
    }
    // It costs a millisecond of processor time; an empty file is synced with its folder.
    if (bytes > 0) await file.datasync();
  } finally {
    await file.close();
  }
  if (hash.digest('hex') !== sha256) throw changed();
  await expectPadding(source, bytes);
}

/** Notes all folders that have got something new in them. */
async function makeFolder(folder: string, folders: Set<string>): Promise<void> {
  if (folders.has(folder)) return;
  const first = await mkdir(folder, { recursive: true, mode: OWN_FOLDER });
  const top = first === undefined ? folder : dirname(first);
  for (let changed = folder; changed.length >= top.length; changed = dirname(changed)) folders.add(changed);
}

async function expectPadding(source: ByteSource, bytes: number): Promise<void> {
  const padding = await source.take(paddingOf(bytes));
  if (padding.some((byte) => byte !== 0)) throw invalid('has data between its files');
}

async function expectEnd(source: ByteSource): Promise<void> {
  const end = await source.take(END.length);
  let more = 0;
  for (let rest = end; rest.length > 0; rest = await source.rest()) {
    more += rest.length;
    if (more > MAX_PADDING || rest.some((byte) => byte !== 0)) throw invalid('has data after its last file');
  }
}

function changed(): GatewayError {
  return invalid('has a file that differs from its manifest');
}

/** Without names from the archive, which may be arbitrary. */
function invalid(why: string): GatewayError {
  return new GatewayError('invalid_archive', `the archive ${why}; nothing was changed`);
}

/** Reads a stream in portions of requested sizes, and computes its digests. */
class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #digests: readonly ArchiveDigest[];
  readonly #hashes: ReadonlyMap<ArchiveDigest['algorithm'], Hash>;
  #held: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Uint8Array>, digests: readonly ArchiveDigest[]) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#digests = digests;
    this.#hashes = new Map(digests.map(({ algorithm }) => [algorithm, createHash(algorithm.replace('-', ''))]));
  }

  async take(bytes: number): Promise<Buffer> {
    if (this.#held.length >= bytes) return this.#split(bytes);
    const pieces: Buffer[] = [];
    for (let left = bytes; left > 0; ) {
      const piece = await this.some(left);
      pieces.push(piece);
      left -= piece.length;
    }
    return Buffer.concat(pieces, bytes);
  }

  /** At least one byte, and at most this many. */
  async some(max: number): Promise<Buffer> {
    if (this.#held.length === 0 && !(await this.#more())) throw invalid('is incomplete');
    return this.#split(max);
  }

  /** The next bytes; none at the end. */
  async rest(): Promise<Buffer> {
    if (this.#held.length === 0) await this.#more();
    return this.#split(this.#held.length);
  }

  /** True if all bytes have all of the digests. Called once, at the end. */
  matches(): boolean {
    const found = new Map([...this.#hashes].map(([algorithm, hash]) => [algorithm, hash.digest()]));
    return this.#digests.every(({ algorithm, bytes }) => found.get(algorithm)?.equals(bytes));
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  #split(max: number): Buffer {
    const taken = this.#held.subarray(0, max);
    this.#held = this.#held.subarray(taken.length);
    return taken;
  }

  /** False at the end. */
  async #more(): Promise<boolean> {
    for (;;) {
      const { done, value } = await this.#chunks.next();
      if (done) return false;
      if (value.length === 0) continue;
      for (const hash of this.#hashes.values()) hash.update(value);
      this.#held = Buffer.from(value.buffer, value.byteOffset, value.length);
      return true;
    }
  }
}
