import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ARCHIVE_FILES, manifestOf, temporaryFolder } from '@chat-web/testing';
import { expect, it } from 'vitest';
import { unpackArchive } from './archive-reader.ts';
import { prepareArchive } from './archive-writer.ts';
import { digestsIn } from './digest-field.ts';
import { PROFILE } from './manifest.ts';

const { format, version, files, ...about } = manifestOf();
const NEVER = new AbortController().signal;
const LEVELDB = 'Default/IndexedDB/https_web.whatsapp.com_0.indexeddb.leveldb';

/** A profile as a browser leaves it, with files that are not archived. */
function profile() {
  const folder = temporaryFolder();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), text);
  };
  for (const { name, text } of ARCHIVE_FILES.slice(1)) write(join('Default', name.slice(PROFILE.length)), text);
  for (const path of ['Default/Cookies', 'Default/Cache/data', `${LEVELDB}/LOG`, `${LEVELDB}/LOCK`, 'Local State'])
    write(path, folder.path);
  return { ...folder, write };
}

const prepare = (profileDir: string, signal = NEVER) =>
  prepareArchive({ profileDir, state: Buffer.alloc(0), about }, signal);
const bytesOf = async (pieces: AsyncIterable<Uint8Array>) => {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
};

it('contains only what a session needs, with its size and digest, and is readable by any tar', async () => {
  using folder = profile();
  using out = temporaryFolder();
  const { size, contentDigest, bytes } = await prepare(folder.path);
  const whole = await bytesOf(bytes);
  expect(whole.length).toBe(size);
  expect(whole.includes(folder.path)).toBe(false);
  const listed = execFileSync('tar', ['-tf', '-'], { input: whole }).toString().trim().split('\n');
  expect(listed.sort()).toEqual(['manifest.json', ...ARCHIVE_FILES.map(({ name }) => name)].sort());
  const { manifest } = await unpackArchive(
    (async function* () {
      yield whole;
    })(),
    {
      session: 'main',
      digests: digestsIn('Content-Digest', contentDigest),
      onManifest: () => {},
      pathOf: (name) => join(out.path, name),
    },
  );
  expect(manifest).toMatchObject(about);
});

it('is the same each time', async () => {
  using folder = profile();
  expect((await prepare(folder.path)).contentDigest).toBe((await prepare(folder.path)).contentDigest);
});

it.each<[string, (path: string) => void]>([
  ['a link to a file', (path) => symlinkSync('/etc/passwd', join(path, LEVELDB, '000004.log'))],
  ['a link to a folder', (path) => symlinkSync('/etc', join(path, LEVELDB, 'etc'))],
  [
    'a link in the place of a folder',
    (path) => {
      renameSync(join(path, 'Default'), join(path, 'Other'));
      symlinkSync('Other', join(path, 'Default'));
    },
  ],
  ['a hard link', (path) => linkSync(join(path, 'Local State'), join(path, LEVELDB, '000004.log'))],
  ['a pipe', (path) => execFileSync('mkfifo', [join(path, LEVELDB, '000004.log')])],
  ['a hidden file', (path) => writeFileSync(join(path, LEVELDB, '.hidden'), '')],
  ['a name with a line break', (path) => writeFileSync(join(path, LEVELDB, 'a\nb'), '')],
  [
    'a folder with the name of a lock',
    (path) => {
      mkdirSync(join(path, LEVELDB, 'LOG.old'));
      writeFileSync(join(path, LEVELDB, 'LOG.old', '000001.log'), '');
    },
  ],
])('is not created from a profile with %s', async (_, spoil) => {
  using folder = profile();
  spoil(folder.path);
  await expect(prepare(folder.path)).rejects.toThrow(/the profile has an entry/);
});

it('is not created from a profile without a database', async () => {
  using folder = profile();
  rmSync(join(folder.path, 'Default/IndexedDB'), { recursive: true });
  await expect(prepare(folder.path)).rejects.toThrow('the profile has no IndexedDB');
});

it('is not created if no gateway would accept it', async () => {
  using folder = profile();
  const archive = { profileDir: folder.path, state: Buffer.alloc(0), about };
  for (let n = 0; n < 500; n += 1) folder.write(`${LEVELDB}/${n}/x`, '');
  const spoilt = [{}, { state: Buffer.alloc(32 * 1_048_576 + 1) }, { about: { ...about, generations: [] } }];
  for (const changes of spoilt)
    await expect(prepareArchive({ ...archive, ...changes }, NEVER)).rejects.toThrow('exceed the limits of an archive');
});

it('is refused by its receiver if a file changed after its digest was computed', async () => {
  using folder = profile();
  using out = temporaryFolder();
  const { bytes } = await prepare(folder.path);
  folder.write(`${LEVELDB}/000003.log`, 'KEYS'.repeat(400));
  const unpacking = { session: 'main', digests: [], onManifest: () => {} };
  await expect(unpackArchive(bytes, { ...unpacking, pathOf: (name) => join(out.path, name) })).rejects.toMatchObject({
    code: 'invalid_archive',
    message: expect.stringContaining('has a file that differs from its manifest'),
  });
});

it('is aborted if a file has become shorter, or the session is taken back', async () => {
  using folder = profile();
  const { bytes } = await prepare(folder.path);
  truncateSync(join(folder.path, LEVELDB, '000003.log'), 10);
  await expect(bytesOf(bytes)).rejects.toThrow('truncated');
  const taken = new AbortController();
  const other = await prepare(folder.path, taken.signal);
  taken.abort(new Error('taken back'));
  await expect(bytesOf(other.bytes)).rejects.toThrow('taken back');
});
