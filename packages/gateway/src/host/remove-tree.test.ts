import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { emptyFolder } from './remove-tree.ts';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const MODULE = new URL('../../dist/host/remove-tree.js', import.meta.url).href;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'chat-web-tree-'));
});
afterEach(() => {
  execFileSync('chmod', ['-R', 'u+rwx', dir]);
  execFileSync('rm', ['-r', dir]);
});

/** Runs as a user who is subject to permissions. */
function removeAsUser(path: string): void {
  const script = `const { removeTree } = await import('${MODULE}'); await removeTree(process.argv[1]);`;
  const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  execFileSync(process.execPath, ['--input-type=module', '-e', script, path], { ...as, cwd: '/', stdio: 'pipe' });
}

it('removes folders without permissions, at any depth, and follows no links', async () => {
  const tree = join(dir, 'tree');
  await mkdir(join(tree, 'a', 'b'), { recursive: true });
  await writeFile(join(tree, 'a', 'b', 'file'), '');
  await mkdir(join(dir, 'other'));
  await writeFile(join(dir, 'other', 'kept'), '');
  await symlink(join(dir, 'other'), join(tree, 'link'));
  const folders = [join(tree, 'a', 'b'), join(tree, 'a'), tree];
  for (const folder of folders) await chmod(folder, 0o000);
  if (isRoot) for (const folder of [...folders, dir]) await chown(folder, NOBODY, NOBODY);
  removeAsUser(tree);
  removeAsUser(join(dir, 'absent'));
  expect(await readdir(dir)).toEqual(['other']);
  expect(await readdir(join(dir, 'other'))).toEqual(['kept']);
});

it('removes folders beyond the maximum path length, also without permissions', async () => {
  const tree = join(dir, 'tree');
  await mkdir(tree);
  const script = `chdir $ARGV[0] or die; for (1 .. 60) { mkdir 'd' x 200; mkdir "side-$_", 0; chdir 'd' x 200 or die; chmod 0, '..' if $_ > 1 }`;
  execFileSync('perl', ['-e', script, tree]);
  if (isRoot) execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, dir]);
  removeAsUser(tree);
  expect(await readdir(dir)).toEqual([]);
});

it('empties a folder as far as possible, and logs the rest', async () => {
  for (const name of ['a', 'b', 'c']) await writeFile(join(dir, name), '');
  const warnings: object[] = [];
  await emptyFolder(dir, { warn: (fields: object) => warnings.push(fields) }, async (name) => {
    if (name === 'b') throw Object.assign(new Error('not this one'), { code: 'EBUSY' });
    await unlink(join(dir, name));
  });
  expect(await readdir(dir)).toEqual(['b']);
  expect(warnings).toEqual([{ dir, entries: 1, error: 'EBUSY', hint: 'remove them by hand' }]);
});
