import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ADA, BEN, browsersIn, eventually, figure, temporaryFolder, workersOf } from '@chat-web/testing';
import { sharedFolder } from '@chat-web/testing/hooks';
import { Stack } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

const TOKEN = 'planted-token-7d1';

/** The environment of the gateway. */
const SETTINGS = {
  CHAT_WEB_TOKEN: TOKEN,
  CHAT_WEB_LOG_LEVEL: 'trace',
  DATABASE_URL: 'postgres://app:planted-password-22c@db/app',
  AWS_SECRET_ACCESS_KEY: 'planted-key-91f',
};

/** What passes through the gateway in both directions, and in refused requests. */
const PLANTED = {
  token: TOKEN,
  'hash of the token': createHash('sha256').update(TOKEN).digest('hex'),
  'password in the environment': 'planted-password-22c',
  'key in the environment': SETTINGS.AWS_SECRET_ACCESS_KEY,
  'wrong token': 'planted-wrong-token-04b',
  'number of the account': ADA,
  'number of a friend': BEN,
  'number of a stranger': '12025550177',
  'body sent': 'planted-body-5ab',
  'body received': 'planted-inbound-c31',
  'body of a refused request': 'planted-refused-e77',
  'name of a file': 'planted-name-e1c',
  caption: 'planted-caption-18d',
  'query of a url': 'planted-signature-f02',
  'password of a url': 'planted-url-password-66a',
  'bytes of a file': 'planted-bytes-b90',
};

describe('what a session is given', () => {
  const folder = sharedFolder();
  let qr = '';
  /** The environments and arguments seen at any time. */
  const seen = new Set<string>();
  /** The responses to the refused requests. */
  const refusals: string[] = [];

  const children = () => [...workersOf(stack.gateway.pid), ...browsersIn(stack.dataDir)];
  const look = () => {
    for (const pid of children()) for (const name of ['environ', 'cmdline']) seen.add(read(pid, name));
  };
  const request = async (path: string, init: RequestInit = {}, token = TOKEN) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(new URL(path, stack.gateway.url), { headers, ...init });
    refusals.push(`${response.status} ${await response.text()}`);
  };

  beforeAll(async () => {
    const marker = join(folder, 'executed');
    const hostile = `require('fs').writeFileSync(${JSON.stringify(marker)}, '')`;
    // All places where a library might look for its configuration.
    for (const name of ['.puppeteerrc.cjs', '.puppeteerrc.js', 'puppeteer.config.cjs', 'puppeteer.config.js'])
      await writeFile(join(folder, name), hostile);
    await writeFile(join(folder, '.puppeteerrc.json'), JSON.stringify({ executablePath: marker }));
    await writeFile(join(folder, 'package.json'), JSON.stringify({ puppeteer: { executablePath: marker } }));
    await writeFile(join(folder, '.env'), 'CHAT_WEB_DATA_DIR=/nowhere\n');
  });
  const stack = sharedStack({ settings: SETTINGS, cwd: folder });
  beforeAll(async () => {
    ({ qr = '' } = await stack.client.startSession({ id: 'ada' }));
    const events = await stack.listen('ada');
    look();
    await stack.phones.scan(ADA, qr);
    await stack.untilStatus('ada', 'ready');
    look();
    await stack.client.sendMessage({ id: 'ada', type: 'text', to: BEN, body: PLANTED['body sent'] });
    await stack.client.sendMessage({
      id: 'ada',
      type: 'document',
      to: BEN,
      caption: PLANTED.caption,
      filename: `${PLANTED['name of a file']}.txt`,
      base64: Buffer.from(PLANTED['bytes of a file']).toString('base64'),
    });
    look();
    await stack.phones.send(BEN, { to: ADA, body: PLANTED['body received'] });
    await eventually(() => expect(JSON.stringify(events.events)).toContain(PLANTED['body received']));
    await stack.client.listContacts({ id: 'ada' });
    await stack.client.listChats({ id: 'ada' });

    await request('/sessions', {}, PLANTED['wrong token']);
    await request(`/sessions/ada/contacts/${PLANTED['number of a stranger']}/nothing`);
    await request(`/sessions/ada/contacts/${PLANTED['number of a stranger']}@c.us`);
    const refused = PLANTED['body of a refused request'];
    const send = (body: unknown) => request('/sessions/ada/messages', { method: 'POST', body: JSON.stringify(body) });
    await send({ type: 'text', to: refused, body: refused });
    await send({ type: 'text', to: PLANTED['number of a stranger'], body: refused });
    await request(`/sessions/ada/groups/${PLANTED['number of a stranger']}-1600000000@g.us/leave`, { method: 'POST' });
    await send({ type: 'image', to: BEN, url: `http://127.0.0.1:1/${refused}?sig=${PLANTED['query of a url']}` });
    await send({ type: 'image', to: BEN, url: `http://u:${PLANTED['password of a url']}@192.0.2.1/` });
    await request('/sessions/ada/messages', { method: 'POST', body: `{"type": "text", "body": "${refused}` });
    look();
    // A crash of the browser causes the longest log lines.
    for (const pid of browsersIn(stack.dataDir)) process.kill(pid, 'SIGKILL');
    await eventually(() => expect(stack.gateway.log.join()).toContain('"msg":"session restarting"'));
    await stack.untilStatus('ada', 'ready');
    look();
  });

  it('contains no secret of the gateway, in environments or arguments, and the log contains none either', () => {
    const code = /^data:image\/png;base64,(.+)$/.exec(qr)?.[1] ?? '';
    expect(code.length).toBeGreaterThan(200);
    const planted = Object.entries({ ...PLANTED, QR: code.slice(40, 120), 'start of the QR': 'data:image/png' });
    const places = [...seen, ...stack.gateway.log, read(stack.gateway.pid, 'cmdline')];
    expect([...seen].join('').length).toBeGreaterThan(1_000);
    expect(stack.gateway.log.length).toBeGreaterThan(10);
    const found = planted.flatMap(([name, secret]) => {
      const forms = [secret, Buffer.from(secret).toString('base64').slice(0, 16), encodeURIComponent(secret)];
      const where = places.filter((text) => forms.some((form) => text.includes(form)));
      return where.length > 0 ? [`${name}: ${where[0]?.slice(0, 400)}`] : [];
    });
    expect(found).toEqual([]);
    figure('secrets', `${planted.length} planted secrets in no environment, argument or line of the log`);
  });

  it('is not repeated in refusals: no refusal contains a value', () => {
    expect(refusals).toHaveLength(9);
    for (const refusal of refusals) {
      expect(refusal).toMatch(/^4\d\d /);
      for (const [name, secret] of Object.entries(PLANTED)) expect(refusal, name).not.toContain(secret);
    }
  });

  it.skipIf(process.getuid?.() !== 0)(
    'is no sandbox where root runs the gateway, as log, host and metrics say',
    async () => {
      const reason = 'Chromium has none for root';
      expect(stack.gateway.log.join('\n')).toMatch(
        new RegExp(`"reason":"${reason}".*"msg":"browser sandbox disabled"`),
      );
      const { unsandboxed } = await stack.client.getHost({});
      expect(unsandboxed).toEqual({ sessions: expect.any(Number), reason });
      const headers = { authorization: `Bearer ${TOKEN}` };
      const metrics = await (await fetch(new URL('/metrics', stack.gateway.url), { headers })).text();
      expect(metrics).toContain(`\nchat_web_sessions_unsandboxed ${unsandboxed?.sessions}\n`);
    },
  );

  it('is no port that another user of the machine could drive a browser by', () => {
    const ports = children().flatMap((pid) => listeningPorts(pid));
    expect(ports).toEqual([]);
    expect(listeningPorts(stack.gateway.pid)).toHaveLength(1);
  });

  it('is no debugger either, even on request', async () => {
    const processes = [stack.gateway.pid, ...workersOf(stack.gateway.pid)];
    expect(processes).toHaveLength(2);
    const before = stack.gateway.log.length;
    for (const pid of processes) process.kill(pid, 'SIGUSR1');
    await eventually(() => expect(stack.gateway.log.join()).toContain('SIGUSR1'));
    await stack.client.listChats({ id: 'ada' });
    expect(stack.gateway.log.slice(before).join('\n')).not.toMatch(/debugger/i);
    expect(processes.flatMap((pid) => listeningPorts(pid))).toHaveLength(1);
  });

  it('is no configuration from the working directory', () => {
    expect(existsSync(join(folder, 'executed'))).toBe(false);
  });
});

it.skipIf(process.getuid?.() !== 0)('the data folder is closed to other users, whatever the umask', async () => {
  using temporary = temporaryFolder();
  const folder = temporary.path;
  await chmod(folder, 0o755);
  const usual = process.umask(0o000);
  try {
    await using stack = await Stack.start({ dataDir: join(folder, 'data') });
    await stack.client.startSession({ id: 'main' });
    const look = (command: string) =>
      spawnSync('sh', ['-c', command], { uid: 65_534, gid: 65_534, encoding: 'utf8', cwd: folder }).stdout.trim();
    expect(look('id -u; ls -d data')).toBe('65534\ndata');
    expect(look(`ls -R data 2>/dev/null | grep -v '^data' ; find data -readable 2>/dev/null`)).toBe('');
    expect(look(`find data -writable 2>/dev/null`)).toBe('');
    // Each by itself, too: the operator may open a folder above.
    const open = spawnSync('find', ['data', '-perm', '/077', '-not', '-type', 'l'], { cwd: folder, encoding: 'utf8' });
    expect(open).toMatchObject({ status: 0, stdout: '' });
  } finally {
    process.umask(usual);
  }
});

it('no package runs an install script', () => {
  const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')) as {
    packages: Record<string, { hasInstallScript?: boolean; optional?: boolean; dev?: boolean }>;
  };
  const scripted = Object.entries(lock.packages).filter(([, { hasInstallScript, dev }]) => hasInstallScript && !dev);
  expect(scripted.map(([name]) => name).filter(Boolean)).toEqual([]);
});

function read(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return ''; // It has exited, or has made itself unreadable.
  }
}

/** Ports on which a process listens, by the sockets that it has open. */
function listeningPorts(pid: number): number[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return []; // Closed in the meantime.
      }
    }),
  );
  const LISTEN = '0A';
  return ['tcp', 'tcp6'].flatMap((table) =>
    read(pid, `net/${table}`)
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === LISTEN && inodes.has(inode ?? ''))
      .map(([, local]) => Number.parseInt(local?.split(':')[1] ?? '', 16)),
  );
}
