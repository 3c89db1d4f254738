import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ADA, BEN } from '@chat-web/testing';
import { sharedFolder } from '@chat-web/testing/hooks';
import { Stack } from '@chat-web/testing/stack';
import { beforeAll, describe, expect, it } from 'vitest';

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url));

const PACKAGES = ['console', 'gateway', 'worker'];

const root = sharedFolder();
let text = '';

beforeAll(async () => {
  const pages = ['docs/service.md', 'docs/quick-start.md', 'README.md'].map((name) => join(CHECKOUT, name));
  text = (await Promise.all(pages.map((path) => readFile(path, 'utf8')))).join('\n');
});

/** The lines of commands in the documentation that match a pattern. */
function commands(pattern: RegExp): string[] {
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block);
  return blocks.flatMap((block) => block.split('\n')).filter((line) => pattern.test(line));
}

/** Runs documented commands as a reader would, in another place of the file system. */
function run(lines: readonly string[], replaced: Readonly<Record<string, string>>) {
  const script = Object.entries(replaced).reduce((text, [from, to]) => text.replaceAll(from, to), lines.join('\n'));
  const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', `umask 022\n${script}`], {
    cwd: CHECKOUT,
    encoding: 'utf8',
  });
  return { status, output: `${stdout}${stderr}` };
}

describe('what docs/service.md installs', () => {
  let opt = '';

  beforeAll(() => {
    opt = join(root, 'chat-web');
    const lines = commands(/^(rm -rf|cp -r|\(cd|chmod) .*\/opt\/chat-web/);
    expect(lines).toHaveLength(4);
    const { status, output } = run(lines, { '/opt/chat-web': opt });
    if (status !== 0) throw new Error(output);
  });

  it('holds what the gateway needs to run, and neither simulator nor tests nor tools', async () => {
    expect((await readdir(join(opt, 'packages'))).sort()).toEqual(PACKAGES);
    expect((await readdir(join(opt, 'node_modules/@chat-web'))).sort()).toEqual(PACKAGES);
    expect(await readdir(join(opt, 'node_modules'))).toEqual(['@chat-web']);
    for (const name of ['scripts', 'test', 'bench', 'packages/gateway/src'])
      expect(existsSync(join(opt, name)), name).toBe(false);
    expect(existsSync(join(opt, 'deploy/systemd/with-notify-socket.pl'))).toBe(true);
  });

  it('is built without install scripts of packages', () => {
    expect(commands(/\bnpm ci\b.*\bnpm run build\b/).join()).toContain('npm ci --ignore-scripts');
  });

  it('is writable only by its owner, and readable by the service', async () => {
    for (const name of ['.', 'package.json', 'packages/worker/dist/main.js'])
      expect((await stat(join(opt, name))).mode & 0o046, name).toBe(0o044);
  });

  it('runs a session', async () => {
    await using stack = await Stack.start({ cwd: opt, main: join(opt, 'packages/gateway/dist/bundle/main.js') });
    await stack.link('main', ADA);
    const { id } = await stack.client.sendMessage({ id: 'main', type: 'text', to: BEN, body: 'installed' });
    expect(await stack.onPhone(BEN, id)).toMatchObject({ body: 'installed' });
    expect(await readFile(`/proc/${stack.gateway.pid}/cmdline`, 'utf8')).toContain(opt);
    expect((await fetch(`${stack.gateway.url}/console/`)).status).toBe(200);
  });
});

describe('the token of the service', () => {
  const TOKEN = 'planted-token-3c8';
  const HASH = `sha256:${'0123456789abcdef'.repeat(4)}`;

  it('is stored in the settings as a hash, and is in no command line', async () => {
    const envFile = join(root, 'gateway.env');
    await writeFile(envFile, await readFile(join(CHECKOUT, 'deploy/systemd/gateway.env'), 'utf8'), { mode: 0o600 });
    const [line = '', ...more] = commands(/npm run -s token/);
    expect(more).toEqual([]);
    const { status, output } = run([line], {
      'npm run -s token': `printf '%s\\n' 'The token: ${TOKEN}' 'CHAT_WEB_TOKEN=${HASH}'`,
      '/etc/chat-web/gateway.env': envFile,
    });
    expect(status).toBe(0);
    expect(output).toContain(TOKEN); // It is shown only once.
    const settings = await readFile(envFile, 'utf8');
    expect(settings.split('\n').filter((setting) => setting.startsWith('CHAT_WEB_TOKEN'))).toEqual([
      `CHAT_WEB_TOKEN=${HASH}`,
    ]);
    expect(settings).not.toContain(TOKEN);
    expect((await stat(envFile)).mode & 0o777).toBe(0o600);
  });

  it('is required: without one, the service is not started', async () => {
    const envFile = join(root, 'empty.env');
    await writeFile(envFile, await readFile(join(CHECKOUT, 'deploy/systemd/gateway.env'), 'utf8'));
    const [line = ''] = commands(/systemctl enable --now/);
    const started = join(root, 'started');
    const start = (settings: string) =>
      run([line], { '/etc/chat-web/gateway.env': settings, 'systemctl enable --now chat-web': `touch ${started}` });
    expect(start(envFile).status).not.toBe(0);
    expect(existsSync(started)).toBe(false);
    await writeFile(envFile, `CHAT_WEB_TOKEN=${HASH}\n`);
    expect(start(envFile).status).toBe(0);
    expect(existsSync(started)).toBe(true);
  });

  it('and the token of the quick start are in no command line', async () => {
    const folder = join(root, 'quick');
    await mkdir(folder);
    const [line = ''] = commands(/Authorization: Bearer/);
    run([`cd ${folder}`, line], {});
    expect(await readFile(join(folder, 'auth'), 'utf8')).toMatch(/^Authorization: Bearer \S+\n$/);
    expect((await stat(join(folder, 'auth'))).mode & 0o777).toBe(0o600);
    for (const curl of commands(/\bcurl\b.*\/sessions/)) expect(curl).toContain('-H @auth');
  });
});
