import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
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
import { describe, expect, it, vi } from 'vitest';
import { readAbout, unpackArchive } from './archive-reader.ts';
import { digestsIn } from './digest-field.ts';
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
    digests: digestsIn('Content-Digest', contentDigest),
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

/** As a member of a Content-Digest. */
const digestOf = (bytes: Buffer, algorithm: string) =>
  `${algorithm}=:${createHash(algorithm.replace('-', '')).update(bytes).digest('base64')}:`;

/** An archive whose manifest has these fields. */
const about = (fields: object) => archive(manifestOf(ARCHIVE_FILES, fields));
/** As many files, each in a folder of its own. */
const inFolders = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ name: `profile/IndexedDB/${n}/x`, text: '' }));
const wrong = (algorithm: string, bytes: number) => `${algorithm}=:${Buffer.alloc(bytes).toString('base64')}:`;
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
    const contentDigest = `${digestOf(bytes, 'sha-512')}, md5=:AAAA:,${digestOf(bytes, 'sha-256')}`;
    const { manifest, state, files, wanted } = await unpack(bytes, { piece, contentDigest });
    expect(files).toEqual(ARCHIVE_FILES.slice(1));
    expect(state).toBe('');
    expect(wanted).toEqual(['main']);
    expect(manifest).toMatchObject({ link: '00000000000000aa', wid: '12025550101@c.us' });
  });

  it('may be followed by zeros, as some programs write them', async () => {
    expect((await unpack(Buffer.concat([archive(), Buffer.alloc(8_192)]))).files).toHaveLength(3);
  });

  it('with thousands of empty files costs no sync for each', async () => {
    const file = await open('/dev/null');
    const datasync = vi.spyOn(Object.getPrototypeOf(file), 'datasync');
    await file.close();
    const files = [
      ...ARCHIVE_FILES,
      ...Array.from({ length: 500 }, (_, n) => ({ name: `${KEYS.name}${n}`, text: '' })),
    ];
    await unpack(archive(manifestOf(files), files));
    expect(datasync).toHaveBeenCalledTimes(3);
    datasync.mockRestore();
  });

  it('is refused with the error of onManifest, before a file is written', async () => {
    using folder = temporaryFolder();
    const unwanted = new GatewayError('stale_export', 'it is old');
    const unpacking = {
      session: 'main',
      digests: [],
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
  ['another session', about({ session: 'other' }), 'belongs to another session'],
  ['another format', about({ format: 'tar' }), 'manifest that is not valid \\(format\\)'],
  ['a later version', about({ version: 2 }), 'another format version'],
  ['no manifest', Buffer.concat([archiveEntry(STATE.name, ''), archive()]), 'does not begin with manifest.json'],
  ['a manifest that is no JSON', archive('{'), 'manifest that is not valid'],
  ['a manifest with another field', about({ more: 1 }), 'manifest that is not valid'],
  ['a manifest that is too long', archive(`${JSON.stringify(manifestOf())}${' '.repeat(2_097_152)}`), 'too long'],
  ['no generation', about({ generations: [] }), '\\(generations\\)'],
  ['too many generations', about({ generations: Array(2_001).fill('0'.repeat(16)) }), 'valid'],
  ['too many files', archive(manifestOf(Array(5_001).fill(CURRENT))), '\\(files\\)|too many values'],
  ['too many folders', archive(manifestOf([...ARCHIVE_FILES, ...inFolders(500)])), '\\(files\\)'],
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
    'profile/IndexedDB/LOCK',
    'profile/IndexedDB/x/LOG',
    'profile/Local Storage/leveldb/LOG.old',
    'profile/IndexedDB/LOCK/x',
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

it.each(['files', 'generations', 'SECRET'])('a manifest is refused without its names: %s', async (field) => {
  const SECRET = 'SECRET'.repeat(30);
  const values = [{ [SECRET]: 1 }, { name: SECRET, bytes: 1, sha256: sha256('') }];
  const error = await unpack(about({ [field]: values })).catch((thrown: Error) => thrown);
  expect(error).toEqual(refused('has a manifest that is not valid \\((files|generations|the whole)\\)'));
  expect((error as Error).message).not.toContain('SECRET');
});

describe('a manifest', () => {
  const name = fc
    .tuple(fc.constantFrom('IndexedDB', 'Local Storage'), fc.integer({ min: 1, max: 80 }))
    .map(([folder, length]) => `profile/${folder}/${'f'.repeat(length)}`);
  /** Files in `folders` folders, each with a name of its own, after those that every session has. */
  const within = fc
    .tuple(fc.nat(4_900), fc.integer({ min: 1, max: 490 }), name)
    .map(([files, folders, prefix]) => [
      ...ARCHIVE_FILES,
      ...Array.from({ length: files }, (_, n) => ({ name: `${prefix}${n % folders}/${n}.ldb`, text: '' })),
    ]);

  it('within the limits is parsed once, and taken', async () => {
    await fc.assert(
      fc.asyncProperty(within, async (files) => {
        const { answer, parses } = await parsing(archive(manifestOf(files), []));
        expect(answer).toMatchObject({ session: 'main', files: { length: files.length } });
        expect(parses).toBe(1);
      }),
      { numRuns: 20 },
    );
  });

  it('beyond the limits is refused before it is parsed', async () => {
    const json = fc.oneof(
      fc.integer({ min: 22_021, max: 600_000 }).map((values) => `[${'[],'.repeat(values)}0]`),
      fc.integer({ min: 22_021, max: 600_000 }).map((values) => `[${'0,'.repeat(values)}0]`),
      fc.integer({ min: 4, max: 900_000 }).map((depth) => '['.repeat(depth)),
      fc.integer({ min: 2_097_140, max: 4_000_000 }).map((length) => JSON.stringify('x'.repeat(length))),
    );
    const place = fc.constantFrom('files', 'generations', 'session', 'more');
    await fc.assert(
      fc.asyncProperty(json, place, async (value, field) => {
        const text = JSON.stringify(manifestOf()).replace('{', `{"${field}":${value},`);
        const { answer, parses } = await parsing(archive(text, []));
        expect(answer).toEqual(refused('has a manifest (that is too long|with too many values or levels)'));
        expect(parses).toBe(0);
      }),
      { numRuns: 40 },
    );
  });
});

/** Reads the manifest of an archive, and counts how often JSON is parsed. */
async function parsing(bytes: Buffer) {
  const parse = vi.spyOn(JSON, 'parse');
  try {
    const answer = await readAbout(bytesOf(bytes)).catch((error: unknown) => error);
    return { answer, parses: parse.mock.calls.length };
  } finally {
    parse.mockRestore();
  }
}

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

  it.each([
    ['SHA-256', [wrong('sha-256', 32)]],
    ['SHA-512', [wrong('sha-512', 64)]],
    ['SHA-512, after a right one', [digestOf(archive(), 'sha-256'), wrong('sha-512', 64)]],
    ['SHA-256, before a right one', [wrong('sha-256', 32), digestOf(archive(), 'sha-256')]],
    ['length', ['sha-256=::']],
  ])('another digest than announced: %s', async (_, members) => {
    const contentDigest = members.join(', ');
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
