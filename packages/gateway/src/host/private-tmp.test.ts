import { existsSync } from 'node:fs';
import { chown, mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { canBeOthers, OTHER_USER } from '@chat-web/testing';
import { freshFolder } from '@chat-web/testing/hooks';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { PrivateTmp } from './private-tmp.ts';

const log = pino({ enabled: false });

const dataDir = freshFolder();

it("is the session's own, empty at each start, and removed with it", async () => {
  const tmp = new PrivateTmp(dataDir);
  const [main, other] = [await tmp.folderFor('main'), await tmp.folderFor('other')];
  expect(main).not.toBe(other);
  expect((await stat(main)).mode & 0o777).toBe(0o700);
  await writeFile(join(main, 'left'), 'x');
  expect(await tmp.folderFor('main')).toBe(main);
  expect(await readdir(main)).toEqual([]);
  await tmp.remove('main');
  expect([main, other].map(existsSync)).toEqual([false, true]);
});

it("fits a browser's socket, however long the path of the data folder is", async () => {
  const deep = join(dataDir, 'deep'.repeat(20));
  await mkdir(deep);
  const tmp = new PrivateTmp(deep);
  const folder = await tmp.folderFor('main');
  expect(folder.startsWith(deep)).toBe(false);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  await mkdir(join(folder, '.org.chromium.Chromium.abcdef'));
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(join(folder, '.org.chromium.Chromium.abcdef', 'SingletonSocket'), resolve);
  });
  server.close();
  await tmp.remove('main');
  expect(existsSync(folder)).toBe(false);
  expect(await readdir(join(deep, 'tmp'))).toEqual([]);
});

it('is cleared at boot after a killed gateway, also elsewhere', async () => {
  const deep = join(dataDir, 'deep'.repeat(20));
  await mkdir(deep);
  const folders = [await new PrivateTmp(deep).folderFor('main'), await new PrivateTmp(dataDir).folderFor('main')];
  await new PrivateTmp(deep).clear(log);
  await new PrivateTmp(dataDir).clear(log);
  expect(folders.map(existsSync)).toEqual([false, false]);
});

it.runIf(canBeOthers())('is abandoned if another user reused its name in a shared folder', async () => {
  const deep = join(dataDir, 'deep'.repeat(20));
  await mkdir(deep);
  const tmp = new PrivateTmp(deep);
  const taken = await tmp.folderFor('main');
  await chown(taken, OTHER_USER, OTHER_USER);
  await writeFile(join(taken, 'of another'), 'x');
  const linked = await tmp.folderFor('linked');
  await rm(linked, { recursive: true });
  await symlink(taken, linked);
  for (const id of ['main', 'linked']) expect([taken, linked]).not.toContain(await tmp.folderFor(id));
  await tmp.clear(log);
  expect(await readdir(taken)).toEqual(['of another']);
  for (const path of [taken, linked]) await rm(path, { recursive: true });
});

it('cannot be used to remove other folders', async () => {
  const victim = join(dataDir, 'victim');
  await mkdir(victim);
  const tmp = new PrivateTmp(dataDir);
  const folder = await tmp.folderFor('main');
  for (const path of [victim, `${dataDir}/../${basename(dataDir)}/victim`]) {
    await rm(folder, { recursive: true, force: true });
    await symlink(path, folder);
    await tmp.remove('main');
    expect([existsSync(victim), existsSync(folder)]).toEqual([true, false]);
  }
});
