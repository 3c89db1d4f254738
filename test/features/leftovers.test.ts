import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnGateway } from '@chat-web/gateway/tools';
import { createClient } from '@chat-web/host';
import { makeDeepFolder, saveSession, temporaryFolder } from '@chat-web/testing';
import { runGateway } from '@chat-web/testing/stack';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let dataDir = '';
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chat-web-left-'));
});
afterEach(() => {
  execFileSync('rm', ['-rf', dataDir]); // Works without long paths.
});

const settings = () => ({
  CHAT_WEB_PORT: '0',
  CHAT_WEB_DATA_DIR: dataDir,
  CHAT_WEB_AUTO_START_SESSIONS: 'no',
  CHAT_WEB_TOKEN: 'planted-token-5b7',
});

/** Starts a gateway on the folder, checks its health, and ends it. Returns its log. */
async function started(): Promise<string> {
  const gateway = await spawnGateway(settings());
  try {
    expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
    return gateway.log.join('\n');
  } finally {
    await gateway.end();
  }
}

describe('a gateway starts, whatever a worker has left behind:', () => {
  it.each(['tmp', 'spool', 'trash', 'sessions'])('folders in %s too deep for a path', async (name) => {
    const folder = join(dataDir, name, 'x');
    await mkdir(folder, { recursive: true });
    makeDeepFolder(folder);
    await started();
    expect(await readdir(join(dataDir, name))).toEqual([]);
  });

  it.each<[string, (path: string) => unknown]>([
    ['a pipe', (path) => execFileSync('mkfifo', [path])],
    ['a file', (path) => writeFile(path, '')],
    ['a link to nowhere', (path) => symlink('nowhere', path)],
    ['a link to itself', (path) => symlink(path, path)],
    ['a link to other data', (path) => symlink('moves', path)],
  ])('%s in place of a folder, which is moved aside', async (_, make) => {
    const names = ['tmp', 'spool', 'trash', 'sessions'];
    for (const name of names) await make(join(dataDir, name));
    const log = await started();
    for (const name of names) {
      expect((await stat(join(dataDir, name))).isDirectory(), name).toBe(true);
      expect(log).toContain(`"path":"${join(dataDir, name)}","movedTo"`);
    }
    expect((await readdir(dataDir)).filter((name) => name.includes('.aside-'))).toHaveLength(names.length);
    expect(await started()).not.toContain('folder replaced');
  });

  it('a folder, or a link to the socket of another service, in place of the lock', async () => {
    await mkdir(join(dataDir, 'gateway.lock', 'full'), { recursive: true });
    await started();
    const server = createServer().listen(join(dataDir, 'other'));
    await once(server, 'listening');
    await symlink('other', join(dataDir, 'gateway.lock'));
    await started();
    server.close();
  });

  it('nothing: its folders are then accessible only to their owner', async () => {
    await started();
    for (const name of ['tmp', 'spool', 'trash', 'sessions'])
      expect((await stat(join(dataDir, name))).mode & 0o777, name).toBe(0o700);
  });

  it('sessions on another disk, which are left unchanged', async () => {
    using disk = temporaryFolder();
    await symlink(disk.path, join(dataDir, 'sessions'));
    await saveSession(dataDir, 'main');
    expect(await started()).not.toContain('folder replaced');
    expect(await readdir(disk.path)).toEqual(['main']);
  });
});

const UNREADABLE: [string, (path: string) => unknown][] = [
  ['garbage', (path) => writeFile(path, '{')],
  ['another shape', (path) => writeFile(path, '[]')],
  ['a pipe without a writer', (path) => execFileSync('mkfifo', [path])],
  ['a link to an endless file', (path) => symlink('/dev/zero', path)],
  ['a link to nowhere', (path) => symlink('nowhere', path)],
  ['a folder', (path) => mkdir(path)],
];

/** Starting without them would void all keys, or connect accounts without their proxies. */
describe.each(['keys.json', 'session-settings.json'])('%s that cannot be read', (name) => {
  it.each(UNREADABLE)(
    'because it is %s does not block the start: exit 78, and a line with a command that repairs it',
    async (_, make) => {
      const path = join(dataDir, name);
      await make(path);
      const { code, stderr } = await runGateway(settings());
      expect([code, stderr]).toEqual([78, expect.stringContaining(`cannot be read from ${path}: restore it from a`)]);
      execFileSync('sh', ['-c', /\((rm -rf [^)]+)\)/.exec(stderr)?.[1] ?? 'false']);
      await started();
    },
  );
});

describe('a gateway on a data folder with planted files starts, reports them, and stores over restarts:', () => {
  /** Starts a gateway. `made`: webhooks that must be known, with the position that was stored for them. */
  async function visited(made: readonly string[]) {
    const gateway = await spawnGateway({ ...settings(), CHAT_WEB_WEBHOOK_HOSTS: 'localhost:9' });
    const client = createClient({ url: gateway.url, token: settings().CHAT_WEB_TOKEN });
    try {
      const { webhooks } = await client.listWebhooks();
      expect(webhooks.map(({ id }) => id)).toEqual(made);
      expect(webhooks.map(({ position }) => position)).not.toContain('lost-0'); // It is in the journal.
      const { id } = await client.createWebhook({ url: 'http://localhost:9/' });
      const ready = await fetch(`${gateway.url}/health/ready`);
      const headers = { Authorization: `Bearer ${settings().CHAT_WEB_TOKEN}` };
      const metrics = await (await fetch(`${gateway.url}/metrics`, { headers })).text();
      return { id, ready: [ready.status, await ready.json()], metrics, log: gateway.log.join('\n') };
    } finally {
      await gateway.end();
    }
  }

  /** Two starts: what the first stores is still there at the second. */
  async function expectStored(damaged: string[]) {
    const first = await visited([]);
    const second = await visited([first.id]);
    const state = damaged.length > 0 ? { ready: true, damaged } : { ready: true };
    expect([first.ready, second.ready]).toEqual([
      [200, state],
      [200, state],
    ]);
    for (const part of damaged) expect(second.metrics).toContain(`chat_web_data_damaged{part="${part}"} 1\n`);
    if (damaged.length > 0) expect(first.log).toMatch(/"level":"error".*"unreadable file set aside"|"folder replaced"/);
    else expect(first.log).not.toMatch(/set aside|skipped/);
  }

  it('with nothing planted', () => expectStored([]));

  it.each(UNREADABLE)('%s in place of webhooks.json', async (_, make) => {
    await make(join(dataDir, 'webhooks.json'));
    await expectStored(['webhooks']);
  });

  it.each([
    ...UNREADABLE.slice(2),
    ['an empty file with a number that no journal reaches', (path: string) => writeFile(path, '')] as const,
  ])('%s as a segment of the journal', async (what, make) => {
    await mkdir(join(dataDir, 'journal'));
    const number = what.startsWith('an empty') ? 2 ** 48 : 1;
    await make(join(dataDir, 'journal', `${String(number).padStart(16, '0')}.0.journal`));
    await mkdir(join(dataDir, 'journal', 'x.unfinished', 'full'), { recursive: true });
    await expectStored(['journal']);
  });

  it.each(['spool', 'trash', 'tmp', 'arriving', 'moves', 'sessions'])(
    'a link to the journal in place of %s',
    async (name) => {
      await mkdir(join(dataDir, 'journal'));
      await symlink('journal', join(dataDir, name));
      await expectStored(['folders']);
    },
  );

  it('a data folder without permissions', async () => {
    await chmod(dataDir, 0);
    await expectStored([]);
  });

  it.each(UNREADABLE)('%s in place of the files and folders of sessions, moves and pages', async (_, make) => {
    for (const folder of ['moves', 'pages', 'sessions/main']) await mkdir(join(dataDir, folder), { recursive: true });
    const paths = ['moves/main.json', 'pages/history.json', 'sessions/main/linked.json', 'sessions/other'];
    for (const path of paths) await make(join(dataDir, path));
    await expectStored([]);
  });
});
