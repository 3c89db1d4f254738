import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { IN_PROFILE, PROFILE } from '../packages/gateway/src/moving/manifest.ts';
import { archive, FILES, manifestOf } from '../packages/gateway/src/testing/archives.ts';
import { type GatewayProcess, spawnGateway } from '../scripts/gateway-process.ts';
import { eventually } from './helpers/eventually.ts';
import { fakeBrowser, undyingBrowsers } from './helpers/fake-browser.ts';
import { saveSession } from './helpers/saved-session.ts';

const MB = 1_048_576;

/** Sessions that never run: failures around an export that need no browser. */
let dataDir = '';
let gateway: GatewayProcess;
const profileDir = () => join(dataDir, 'sessions/main/session');

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chat-web-moved-'));
  await saveSession(dataDir, 'main');
  for (const { name, text } of FILES.slice(1)) {
    const path = join(profileDir(), IN_PROFILE, name.slice(PROFILE.length));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  gateway = await start();
});
afterEach(async () => {
  await gateway.end();
  await rm(dataDir, { recursive: true });
});

function start(settings: Readonly<Record<string, string>> = {}): Promise<GatewayProcess> {
  const env = { CHAT_WEB_PORT: '0', CHAT_WEB_DATA_DIR: dataDir, CHAT_WEB_AUTO_START_SESSIONS: 'no' };
  return spawnGateway({ ...env, ...settings });
}

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
  const database = join(profileDir(), IN_PROFILE, 'IndexedDB');
  await rename(database, `${database}.aside`);
  const refused = { status: 409, body: { code: 'session_not_exportable' } };
  expect(await ask('POST', '/export')).toMatchObject(refused);
  const { body } = await ask('GET', '/status');
  expect(body).toMatchObject({ status: 'stopped' });
  expect(body).not.toHaveProperty('reason');
});

it('a profile that another browser uses is not archived', async () => {
  await using browser = await fakeBrowser(profileDir(), { isOpen: true });
  const { status, body } = await ask('POST', '/export');
  expect({ status, body }).toMatchObject({ status: 409, body: { code: 'session_not_exportable' } });
  expect(JSON.stringify(body)).toContain(`process ${browser.main.pid}`);
  expect(JSON.stringify(body)).not.toContain(dataDir);
});

it('a profile that a browser of an earlier run still uses is not archived, although it is killed', async () => {
  using _browsers = undyingBrowsers(profileDir());
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
  gateway = await start();
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ ...here, place: 'gone' });
});

it('an import is refused while others have reserved the free space of the disk', async () => {
  const { bavail, bsize } = await statfs(dataDir);
  await gateway.end();
  gateway = await start({ CHAT_WEB_MIN_FREE_DISK_MB: String(Math.floor((bavail * bsize) / MB) - 3_000) });
  const begin = (id: string) => {
    const large = { name: 'profile/IndexedDB/x/large', bytes: 2_000 * MB, sha256: '0'.repeat(64) };
    const manifest = manifestOf(FILES, { session: id, files: [...manifestOf().files, large] });
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
