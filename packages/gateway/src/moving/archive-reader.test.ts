import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { GatewayError } from '@chat-web/protocol';
import {
  ARCHIVE_FILES,
  type ArchiveFile,
  archive,
  archiveEntry,
  manifestOf,
  sha256,
  temporaryFolder,
} from '@chat-web/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unpackArchive } from './archive-reader.ts';
import { PROFILE } from './manifest.ts';

const [STATE, CURRENT, KEYS, LOCAL] = ARCHIVE_FILES as readonly [ArchiveFile, ArchiveFile, ArchiveFile, ArchiveFile];

/** Unpacks an archive into a new folder, in pieces of that size. Returns the files in it. */
async function unpack(
  bytes: Buffer,
  { piece = 1_000, contentDigest }: { piece?: number; contentDigest?: string } = {},
) {
  using folder = temporaryFolder();
  const wanted: string[] = [];
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece);
  }
  const { manifest, state } = await unpackArchive(pieces(), {
    session: 'main',
    contentDigest,
    onManifest: ({ session }) => void wanted.push(session),
    pathOf: (name) => join(folder.path, 'in', name.slice(PROFILE.length)),
  }).finally(() => {
    // Whatever the archive was, no file is outside its folder.
    expect(readdirSync(folder.path).filter((name) => name !== 'in')).toEqual([]);
  });
  const files = ARCHIVE_FILES.slice(1).map(({ name }) => {
    const path = join(folder.path, 'in', name.slice(PROFILE.length));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    return { name, text: readFileSync(path, 'utf8') };
  });
  return { manifest, state: state.toString(), files, wanted };
}

const refused = (why: string | RegExp) =>
  expect.objectContaining({ code: 'invalid_archive', message: expect.stringMatching(why) });

/** An archive whose manifest has these fields. */
const about = (fields: object) => archive(manifestOf(ARCHIVE_FILES, fields));
/** An archive with the usual manifest and these files. */
const listing = (...files: NonNullable<Parameters<typeof archive>[1]>[number][]) => archive(manifestOf(), files);

/** The manifest's files with another one among them. */
const having = (name: string, text = 'x') => {
  const files = [...ARCHIVE_FILES, { name, text }];
  return { manifest: manifestOf(files), files };
};

describe('an archive', () => {
  it.each([1, 7, 512, 100_000])('is read completely, in pieces of %i bytes', async (piece) => {
    const bytes = archive();
    const contentDigest = `sha-512=:AAAA:, sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;
    const { manifest, state, files, wanted } = await unpack(bytes, { piece, contentDigest });
    expect(files).toEqual(ARCHIVE_FILES.slice(1));
    expect(state).toBe('');
    expect(wanted).toEqual(['main']);
    expect(manifest).toMatchObject({ link: '00000000000000aa', wid: '12025550101@c.us' });
  });

  it('may be followed by zeros, as some programs write them', async () => {
    expect((await unpack(Buffer.concat([archive(), Buffer.alloc(8_192)]))).files).toHaveLength(3);
  });

  it('is refused with the error of onManifest, before a file is written', async () => {
    using folder = temporaryFolder();
    const unwanted = new GatewayError('stale_export', 'it is old');
    const unpacking = {
      session: 'main',
      contentDigest: undefined,
      pathOf: (name: string) => join(folder.path, name),
      onManifest: () => {
        throw unwanted;
      },
    };
    await expect(unpackArchive(bytesOf(archive()), unpacking)).rejects.toBe(unwanted);
    expect(existsSync(join(folder.path, 'profile'))).toBe(false);
  });
});

async function* bytesOf(bytes: Buffer) {
  yield bytes;
}

it.each<[string, Buffer, string]>([
  ['nothing', Buffer.alloc(0), 'is incomplete'],
  ['text', Buffer.from('x'.repeat(2_000)), 'is not a header'],
  ['zeros', Buffer.alloc(4_096), 'is not a header'],
  ['a compressed archive', gzipSync(archive()), 'is incomplete|is not a header'],
  ['another session', about({ session: 'other' }), 'belongs to session other'],
  ['another format', about({ format: 'tar' }), 'manifest that is not valid \\(format\\)'],
  ['a later version', about({ version: 2 }), 'another format version'],
  ['no manifest', Buffer.concat([archiveEntry(STATE.name, ''), archive()]), 'does not begin with manifest.json'],
  ['a manifest that is no JSON', archive('{'), 'manifest that is not valid'],
  ['a manifest with another field', about({ more: 1 }), 'manifest that is not valid'],
  ['a manifest that is too long', archive(`${JSON.stringify(manifestOf())}${' '.repeat(4_194_304)}`), 'too long'],
  ['no generation', about({ generations: [] }), '\\(generations\\)'],
  ['too many generations', about({ generations: Array(2_001).fill('0'.repeat(16)) }), 'valid'],
  ['too many files', archive(manifestOf(Array(20_001).fill(CURRENT))), '\\(files\\)'],
])('an archive of something else: %s', async (_, bytes, why) => {
  await expect(unpack(bytes)).rejects.toEqual(refused(why));
});

describe('a manifest with a name that an export never writes', () => {
  it.each([
    '/etc/passwd',
    '../../../../etc/cron.d/x',
    'profile/IndexedDB/../../x',
    'profile/IndexedDB/./x',
    'profile/IndexedDB//x',
    'profile/IndexedDB/x/',
    'profile/IndexedDB/..',
    'profile/IndexedDB/.hidden',
    'profile/IndexedDB/-rf',
    'profile/IndexedDB/a\\b',
    'profile/IndexedDB/a\nb',
    'profile/IndexedDB/a\u0000b',
    'profile/IndexedDB/caf\u00e9',
    'profile/IndexedDB/a\u202eb',
    'profile/IndexedDB',
    'profile/Cookies',
    'profile/SingletonLock',
    'profile/Extensions/x',
    'PROFILE/IndexedDB/x',
    'linked.json',
    'session/x',
    'manifest.json',
    `profile/IndexedDB/${'a'.repeat(92)}`,
    `profile/IndexedDB${'/a'.repeat(7)}`,
    `profile/IndexedDB${`/${'a'.repeat(80)}`.repeat(3)}`,
    '',
  ])('%j', async (name) => {
    const { manifest } = having(name);
    await expect(unpack(archive(manifest))).rejects.toEqual(refused('\\(files'));
  });

  it.each([
    ['twice', [...ARCHIVE_FILES, CURRENT]],
    ['in another case', [...ARCHIVE_FILES, { name: CURRENT.name.replace('CURRENT', 'current'), text: 'x' }]],
    ['as a file and as a folder', [...ARCHIVE_FILES, { name: `${CURRENT.name}/x`, text: 'x' }]],
    ['without the state', [CURRENT, KEYS, LOCAL]],
    ['without the database', [STATE, LOCAL]],
    ['without the local storage', [STATE, CURRENT, KEYS]],
  ])('%s', async (_, files) => {
    await expect(unpack(archive(manifestOf(files), files))).rejects.toEqual(refused('\\(files'));
  });

  it.each([-1, 1.5, 2 ** 40, '4', null])('with a size of %j', async (bytes) => {
    const files = ARCHIVE_FILES.map(({ name, text }) => ({ name, bytes, sha256: sha256(text) }));
    await expect(unpack(about({ files }))).rejects.toEqual(refused('\\(files'));
  });
});

/** Changes a header to another type, with a target. */
const ofType = (type: string, target?: string) => (header: Buffer) => {
  header.write(type, 156);
  if (target) header.write(target, 157);
};
const ZIP_BOMB_BYTES = 2 ** 33;

it.each([
  ['a hard link', ofType('1', '/etc/passwd')],
  ['a symbolic link', ofType('2', '/etc/passwd')],
  ['a character device', ofType('3')],
  ['a block device', ofType('4')],
  ['a folder', ofType('5')],
  ['a pipe', ofType('6')],
  ['a contiguous file', ofType('7')],
  ['an extended header', ofType('x')],
  ['a global extended header', ofType('g')],
  ['a long name', ofType('L')],
  ['a long link', ofType('K')],
  ['a sparse file', ofType('S')],
  ['a volume', ofType('V')],
  ['an unknown type', ofType('Z')],
  ['a file with a target', ofType('0', '/etc/passwd')],
])('an entry that is not a regular file: %s', async (_, change) => {
  const files = [STATE, archiveEntry(CURRENT.name, CURRENT.text, change), KEYS, LOCAL];
  await expect(unpack(archive(manifestOf(), files))).rejects.toEqual(refused('has an entry|header'));
  await expect(unpack(Buffer.concat([archiveEntry('manifest.json', '{}', change), archive()]))).rejects.toEqual(
    refused('has an entry|header'),
  );
});

describe('files that are not those of the manifest', () => {
  const other = (text: string) => ({ name: KEYS.name, text });
  it.each<[string, Buffer, string]>([
    ['one more', listing(...ARCHIVE_FILES, { name: `${KEYS.name}2`, text: 'x' }), 'data after its last file'],
    ['the same again', listing(...ARCHIVE_FILES, LOCAL), 'data after its last file'],
    ['another one', listing(STATE, CURRENT, { ...KEYS, name: '/etc/x' }, LOCAL), 'does not have the files'],
    ['another order', listing(STATE, KEYS, CURRENT, LOCAL), 'does not have the files'],
    ['one less', listing(STATE, CURRENT, KEYS), 'is not a header'],
    ['a longer one', listing(STATE, CURRENT, other(`${KEYS.text}x`), LOCAL), 'whose size differs'],
    ['a shorter one', listing(STATE, CURRENT, other('x'), LOCAL), 'whose size differs'],
    ['other bytes', listing(STATE, CURRENT, other(KEYS.text.replace('k', 'K')), LOCAL), 'differs from its manifest'],
    ['another state', listing({ ...STATE, text: '{}\n' }, CURRENT, KEYS, LOCAL), 'whose size differs'],
    [
      'a size that is longer than it states',
      listing(
        STATE,
        archiveEntry(CURRENT.name, CURRENT.text, (header) => header.write(ZIP_BOMB_BYTES.toString(8), 124)),
        LOCAL,
      ),
      'whose size differs',
    ],
    ['data after it', Buffer.concat([archive(), Buffer.from('x')]), 'data after its last file'],
    ['another archive after it', Buffer.concat([archive(), archive()]), 'data after its last file'],
    ['a MB of zeros after it', Buffer.concat([archive(), Buffer.alloc(1_048_576)]), 'data after its last file'],
    ['data between files', archive().fill('x', 512 + 2_000, 512 + 2_001), 'has data between|not a header|not valid'],
  ])('%s', async (_, bytes, why) => {
    await expect(unpack(bytes)).rejects.toEqual(refused(why));
  });

  it('another digest than announced', async () => {
    const contentDigest = `sha-256=:${'A'.repeat(43)}=:`;
    await expect(unpack(archive(), { contentDigest })).rejects.toEqual(refused('does not match its Content-Digest'));
  });

  it('cut off, at any point', async () => {
    const whole = archive();
    for (let bytes = 0; bytes < whole.length; bytes += 97)
      await expect(unpack(whole.subarray(0, bytes))).rejects.toEqual(refused('is incomplete'));
  });

  it('with any byte changed: refused, or the same session', async () => {
    const whole = archive();
    const place = fc.nat({ max: whole.length - 1 });
    await fc.assert(
      fc.asyncProperty(place, fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const changed = Buffer.from(whole);
        changed[at] = (changed[at] ?? 0) ^ change;
        const answer = await unpack(changed).catch((error: unknown) => error);
        if (answer instanceof Error) expect(answer).toEqual(refused('nothing was changed'));
        else expect(answer).toMatchObject({ files: ARCHIVE_FILES.slice(1), manifest: { session: 'main' } });
      }),
      { numRuns: 300 },
    );
  });
});
