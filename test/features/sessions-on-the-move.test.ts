import { once } from 'node:events';
import { mkdir, readdir, readFile, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import { ARCHIVE_FILES, archive, eventually, fakeBrowser, manifestOf, undyingBrowsers } from '@chat-web/testing';
import { freshGateway } from '@chat-web/testing/story';
import { beforeEach, expect, it } from 'vitest';

const MB = 1_048_576;

/** Sessions that never run: failures around an export that need no browser. */
const gateway = freshGateway({ sessions: ['main'] });
const { dataDir } = gateway;
const profileDir = join(dataDir, 'sessions/main/session');

beforeEach(async () => {
  for (const { name, text } of ARCHIVE_FILES.slice(1)) {
    const path = join(profileDir, 'Default', name.slice('profile/'.length));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  await gateway.start();
});

async function ask(method: string, path = '') {
  const answer = await fetch(`${gateway.url}/sessions/main${path}`, { method });
  const text = await answer.text();
  if (answer.headers.get('Content-Type') === 'application/x-tar') return { status: answer.status };
  return { status: answer.status, body: JSON.parse(text) as Record<string, unknown> };
}

it('a moved session that cannot be deleted stays moved, and is not started', async () => {
  expect(await ask('POST', '/export')).toMatchObject({ status: 200 });
  const trash = join(dataDir, 'trash');
  await rename(trash, `${trash}.aside`);
  await writeFile(trash, '');
  expect((await ask('DELETE')).status).toBeGreaterThanOrEqual(500);
  expect(await ask('POST', '/start')).toMatchObject({ status: 409, body: { code: 'session_moved' } });
  expect(await ask('GET', '/status')).toMatchObject({ body: { status: 'moved', reason: 'MOVED' } });
  await rm(trash);
  expect(await ask('DELETE')).toMatchObject({ status: 200 });
});

it('a session that cannot be archived stays as it was, and is not reported as moved', async () => {
  const database = join(profileDir, 'Default', 'IndexedDB');
  await rename(database, `${database}.aside`);
  const refused = { status: 409, body: { code: 'session_not_exportable' } };
  expect(await ask('POST', '/export')).toMatchObject(refused);
  const { body } = await ask('GET', '/status');
  expect(body).toMatchObject({ status: 'stopped' });
  expect(body).not.toHaveProperty('reason');
});

it('a profile that another browser uses is not archived', async () => {
  await using browser = await fakeBrowser(profileDir, { isOpen: true });
  const { status, body } = await ask('POST', '/export');
  expect({ status, body }).toMatchObject({ status: 409, body: { code: 'session_not_exportable' } });
  expect(JSON.stringify(body)).toContain(`process ${browser.main.pid}`);
  expect(JSON.stringify(body)).not.toContain(dataDir);
});

it('a profile that a browser of an earlier run still uses is not archived, although it is killed', async () => {
  using _browsers = undyingBrowsers(profileDir);
  await eventually(async () => {
    const { status, body } = await ask('POST', '/export');
    expect({ status, body }).toMatchObject({ status: 409, body: { code: 'session_not_exportable' } });
    expect(body?.error).toContain('still runs');
  });
});

it('an import interrupted by a crash leaves no lineage to the next session of that name', async () => {
  await gateway.end();
  const { link, generations } = manifestOf();
  const here = { place: 'here', since: '2026-11-23T04:00:00.000Z', link, generations, isFresh: true };
  const path = join(dataDir, 'moves/other.json');
  await writeFile(path, JSON.stringify(here));
  await mkdir(join(dataDir, 'arriving/other.1'), { recursive: true });
  await gateway.start();
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
    ...here,
    place: 'gone',
    since: expect.any(String),
  });
});

it('an import is refused while others have reserved the free space of the disk', async () => {
  const { bavail, bsize } = await statfs(dataDir);
  await gateway.end();
  await gateway.start({ CHAT_WEB_MIN_FREE_DISK_MB: String(Math.floor((bavail * bsize) / MB) - 3_000) });
  const begin = (id: string) => {
    const large = { name: 'profile/IndexedDB/x/large', bytes: 2_000 * MB, sha256: '0'.repeat(64) };
    const manifest = manifestOf(ARCHIVE_FILES, { session: id, files: [...manifestOf().files, large] });
    const { hostname, port } = new URL(gateway.url);
    const headers = { 'Content-Type': 'application/x-tar' };
    const outgoing = request({ hostname, port, method: 'PUT', path: `/sessions/${id}/import`, agent: false, headers });
    outgoing.on('error', () => {}).write(archive(manifest).subarray(0, -1_024));
    return outgoing;
  };
  const slow = begin('slow');
  await eventually(async () => {
    const [folder = ''] = await readdir(join(dataDir, 'arriving'));
    expect(await readdir(join(dataDir, 'arriving', folder))).toEqual(['session']);
  });
  const other = begin('other');
  const [answer] = await once(other, 'response');
  expect(answer.statusCode).toBe(503);
  for (const outgoing of [slow, other]) outgoing.destroy();
  await eventually(async () => expect(await readdir(join(dataDir, 'arriving'))).toEqual([]));
});
