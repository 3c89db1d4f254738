import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { IN_PROFILE, PROFILE } from '../packages/gateway/src/moving/manifest.ts';
import { FILES, manifestOf } from '../packages/gateway/src/testing/archives.ts';
import { type GatewayProcess, spawnGateway } from '../scripts/gateway-process.ts';
import { fakeBrowser } from './helpers/fake-browser.ts';
import { saveSession } from './helpers/saved-session.ts';

/** Sessions that never run: what can go wrong around an export without a browser. */
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

function start(): Promise<GatewayProcess> {
  return spawnGateway({ CHAT_WEB_PORT: '0', CHAT_WEB_DATA_DIR: dataDir, CHAT_WEB_AUTO_START_SESSIONS: 'no' });
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

it('a session that cannot be archived is as before, and not said to have moved', async () => {
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

it('an arrival that a crash has interrupted leaves no lineage to the next session of that name', async () => {
  await gateway.end();
  const { link, generations } = manifestOf();
  const here = { place: 'here', since: '2026-11-23T04:00:00.000Z', link, generations, isFresh: true };
  const path = join(dataDir, 'moves/other.json');
  await writeFile(path, JSON.stringify(here));
  await mkdir(join(dataDir, 'arriving/other.1'), { recursive: true });
  gateway = await start();
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ ...here, place: 'gone' });
});
