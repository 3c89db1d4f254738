import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sharedFolder } from '@chat-web/testing/hooks';
import { beforeAll, describe, expect, it } from 'vitest';

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url));

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
  const lib = join(root, 'chat-web');

  beforeAll(() => {
    const artefact = join(root, 'artefact');
    execFileSync(process.execPath, [join(CHECKOUT, 'scripts/dist/artefact.js'), artefact]);
    const lines = commands(/^ *cp -r build\/chat-web|^test -d \/usr\/lib\/chat-web/);
    expect(lines).toHaveLength(2);
    const { status, output } = run(lines, { '/usr/lib/chat-web': lib, 'build/chat-web': artefact });
    if (status !== 0) throw new Error(output);
  });

  it('is built without install scripts of packages', () => {
    expect(commands(/\bnpm ci\b.*\bnpm run artefact\b/).join()).toContain('npm ci --ignore-scripts');
  });

  it('is writable only by its owner, and readable by the service', async () => {
    for (const name of ['.', 'package.json', 'gateway/main.js', 'deploy/systemd/with-notify-socket.pl'])
      expect((await stat(join(lib, name))).mode & 0o046, name).toBe(0o044);
  });
});

describe('the token of the service', () => {
  const TOKEN = 'planted-token-3c8';
  const HASH = `sha256:${'0123456789abcdef'.repeat(4)}`;

  it('is stored as a hash, which only its owner can read', async () => {
    const file = join(root, 'token');
    const [line = '', ...more] = commands(/chat-web\.js token/);
    expect(more).toEqual([]);
    const { status, output } = run([line], {
      'node ../../bin/chat-web.js token': `printf '%s\\n' 'The token: ${TOKEN}' 'CHAT_WEB_TOKEN=${HASH}'`,
      '/etc/chat-web/token': file,
    });
    expect(status).toBe(0);
    expect(output).toContain(TOKEN); // It is shown only once.
    expect(await readFile(file, 'utf8')).toBe(`${HASH}\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
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
