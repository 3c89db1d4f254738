import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const UNIT = source('chat-web.service');
const SYSUSERS = source('chat-web.sysusers.conf');
const TMPFILES = source('chat-web.tmpfiles.conf');

/** Files can be given to others by root alone; elsewhere one is root of a user namespace of one's own. */
const AS_ROOT = process.getuid?.() === 0 ? [] : ['unshare', '--map-root-user'];

let root = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'chat-web-systemd-'));
  await mkdir(join(root, 'etc/chat-web'), { recursive: true });
});

afterEach(() => rm(root, { recursive: true }));

function source(name: string): string {
  return fileURLToPath(new URL(`../deploy/systemd/${name}`, import.meta.url));
}

function run(...command: readonly string[]) {
  const [program = '', ...args] = command;
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (error) throw error; // A machine without systemd's programs must not pass.
  return { status, output: `${stdout}${stderr}`.trim() };
}

describe('the unit', () => {
  it('is one that systemd takes as it is', async () => {
    const unit = await readFile(UNIT, 'utf8');
    expect(unit).toMatch(/^ExecStart=node packages\/gateway\/dist\/main\.js$/m);
    // Where this machine's node is, systemd would perhaps not look.
    const copy = join(root, 'chat-web.service');
    await writeFile(copy, unit.replace('ExecStart=node ', `ExecStart=${process.execPath} `));
    expect(run('systemd-analyze', 'verify', copy)).toEqual({ status: 0, output: '' });
  });

  it('is exposed by 3.0 at most', () => {
    const { status, output } = run(
      ...['systemd-analyze', 'security', '--offline=true', '--no-pager', '--threshold=30', UNIT],
    );
    const exposure = Number(/Overall exposure level for chat-web\.service: ([\d.]+)/.exec(output)?.[1]);
    console.log(`promise 26: exposure ${exposure.toFixed(1)}`);
    expect(exposure).toBeLessThanOrEqual(3);
    expect(status).toBe(0);
  });

  it('leaves alone what V8 and the sandbox of Chromium are made of', async () => {
    const unit = await readFile(UNIT, 'utf8');
    expect(unit).not.toMatch(/^(MemoryDenyWriteExecute|ProcSubset)=/m);
    expect(unit).toMatch(/^RestrictNamespaces=user pid net$/m);
    expect(unit).toMatch(/^SystemCallFilter=@system-service chroot$/m);
  });
});

it('systemd-sysusers makes an account that nobody can log in to', async () => {
  await writeFile(join(root, 'etc/passwd'), '');
  await writeFile(join(root, 'etc/group'), '');
  expect(run(...AS_ROOT, 'systemd-sysusers', `--root=${root}`, SYSUSERS).status).toBe(0);
  const account = await readFile(join(root, 'etc/passwd'), 'utf8');
  expect(account).toMatch(/^chat-web:x:\d+:\d+:Chat-web gateway:\/var\/lib\/chat-web:\/usr\/sbin\/nologin$/m);
});

it('systemd-tmpfiles lets root and the service, and nobody else, read the settings', async () => {
  // The one group that there is in every user namespace stands in for the service's own.
  await writeFile(join(root, 'etc/group'), 'chat-web:x:0:\n');
  const envFile = join(root, 'etc/chat-web/gateway.env');
  await writeFile(envFile, 'CHAT_WEB_TOKEN=x\n', { mode: 0o644 });
  expect(run(...AS_ROOT, 'systemd-tmpfiles', '--create', `--root=${root}`, TMPFILES)).toEqual({
    status: 0,
    output: '',
  });
  expect((await stat(envFile)).mode & 0o777).toBe(0o640);
  expect((await stat(join(root, 'etc/chat-web'))).mode & 0o777).toBe(0o750);
});
