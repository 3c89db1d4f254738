import { Header } from 'tar/header';
import { sha256 } from './sha256.ts';

const BLOCK_BYTES = 512;

export interface ArchiveFile {
  readonly name: string;
  readonly text: string;
}

/** The files of a small session, as in an export. */
export const ARCHIVE_FILES: readonly ArchiveFile[] = [
  { name: 'state.jsonl', text: '' },
  { name: 'profile/IndexedDB/https_web.whatsapp.com_0.indexeddb.leveldb/CURRENT', text: 'MANIFEST-000001\n' },
  { name: 'profile/IndexedDB/https_web.whatsapp.com_0.indexeddb.leveldb/000003.log', text: 'keys'.repeat(400) },
  { name: 'profile/Local Storage/leveldb/CURRENT', text: 'MANIFEST-000001\n' },
];

export function manifestOf(files: readonly ArchiveFile[] = ARCHIVE_FILES, changes: object = {}) {
  return {
    format: 'chat-web-session',
    version: 1,
    session: 'main',
    link: '00000000000000aa',
    generations: ['0000000000000001'],
    exportedAt: '2026-11-23T04:00:00.000Z',
    linkedAt: '2026-11-01T04:00:00.000Z',
    wid: '12025550101@c.us',
    gateway: '0.1.0',
    files: files.map(({ name, text }) => ({ name, bytes: Buffer.byteLength(text), sha256: sha256(text) })),
    ...changes,
  };
}

/** A file in the format of a tar. */
export function archiveEntry(name: string, text: string, change: (header: Buffer) => void = () => {}): Buffer {
  const bytes = Buffer.byteLength(text);
  const header = Buffer.alloc(BLOCK_BYTES);
  new Header({ path: name, size: bytes, mtime: new Date(0), mode: 0o600, uid: 0, gid: 0, type: 'File' }).encode(header);
  change(header);
  withChecksum(header);
  return Buffer.concat([header, Buffer.from(text), Buffer.alloc(-bytes & (BLOCK_BYTES - 1))]);
}

/** A whole archive, with this manifest and these files or entries. */
export function archive(
  manifest: unknown = manifestOf(),
  files: readonly (ArchiveFile | Buffer)[] = ARCHIVE_FILES,
): Buffer {
  const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
  const entries = files.map((file) => (Buffer.isBuffer(file) ? file : archiveEntry(file.name, file.text)));
  return Buffer.concat([archiveEntry('manifest.json', text), ...entries, Buffer.alloc(2 * BLOCK_BYTES)]);
}

const CHECKSUM_AT = 148;
const CHECKSUM_BYTES = 8;

/** Writes the checksum of a changed header. */
function withChecksum(header: Buffer): void {
  header.fill(' ', CHECKSUM_AT, CHECKSUM_AT + CHECKSUM_BYTES);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, CHECKSUM_AT);
}
