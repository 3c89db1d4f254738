import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { BlockList, isIP } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { figure } from '@chat-web/testing';
import { freshFolder } from '@chat-web/testing/hooks';
import { beforeEach, describe, expect, it } from 'vitest';

const UNIT = source('chat-web.service');
const SYSUSERS = source('chat-web.sysusers.conf');
const TMPFILES = source('chat-web.tmpfiles.conf');

/** Only root can give files to other users. Elsewhere the commands run as root of a user namespace. */
const AS_ROOT = process.getuid?.() === 0 ? [] : ['unshare', '--map-root-user'];

const AS_NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];

const root = freshFolder();

beforeEach(async () => {
  await mkdir(join(root, 'etc/chat-web'), { recursive: true });
});

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
  it('is valid for systemd', async () => {
    const unit = await readFile(UNIT, 'utf8');
    expect(unit).toMatch(/^ExecStart=perl (\S+) node gateway\/main\.js$/m);
    const [, script = ''] = /^ExecStart=perl (\S+)/m.exec(unit) ?? [];
    expect(existsSync(fileURLToPath(new URL(`../${script}`, import.meta.url))), script).toBe(true);
    const copy = join(root, 'chat-web.service');
    await writeFile(copy, unit);
    expect(run('systemd-analyze', 'verify', copy)).toEqual({ status: 0, output: '' });
  });

  it('has an exposure of 2.3 at most', () => {
    const { status, output } = run(
      'systemd-analyze',
      'security',
      '--offline=true',
      '--no-pager',
      '--threshold=23',
      UNIT,
    );
    const exposure = Number(/Overall exposure level for chat-web\.service: ([\d.]+)/.exec(output)?.[1]);
    figure('unit', `exposure ${exposure.toFixed(1)}`);
    expect(exposure).toBeLessThanOrEqual(2.3);
    expect(status).toBe(0);
  });

  it('accepts notifications only from the main process, and hides other users and their processes', async () => {
    const unit = await readFile(UNIT, 'utf8');
    for (const line of ['NotifyAccess=main', 'PrivateUsers=yes', 'ProtectProc=invisible', 'NoNewPrivileges=yes'])
      expect(unit.split('\n')).toContain(line);
    expect(unit).toMatch(/^MemoryMax=\d+%$/m);
  });

  it('blocks the addresses where clouds serve credentials', async () => {
    const denied = [...(await readFile(UNIT, 'utf8')).matchAll(/^IPAddressDeny=(.*)$/gm)].flatMap(([, list = '']) =>
      list.split(' '),
    );
    const ranges = denied.map((entry) => (entry.includes('/') ? entry : `${entry}/${isIP(entry) === 4 ? 32 : 128}`));
    const blocked = new BlockList();
    for (const range of ranges) {
      const [network = '', prefix] = range.split('/');
      blocked.addSubnet(network, Number(prefix), isIP(network) === 4 ? 'ipv4' : 'ipv6');
    }
    for (const address of ['169.254.169.254', '169.254.170.2', '168.63.129.16', '100.100.100.200', '192.0.0.192'])
      expect(blocked.check(address, 'ipv4'), address).toBe(true);
    for (const address of ['fd00:ec2::254', 'fd20:ce::254', 'fe80::a9fe:a9fe', 'fd00:42::42', 'fd00:a9fe:a9fe::1'])
      expect(blocked.check(address, 'ipv6'), address).toBe(true);
    for (const address of ['127.0.0.1', '10.0.0.2', '1.1.1.1', '192.168.1.1'])
      expect(blocked.check(address, 'ipv4'), address).toBe(false);
  });

  it('permits what V8 and the sandbox of Chromium need', async () => {
    const unit = await readFile(UNIT, 'utf8');
    expect(unit).not.toMatch(/^(MemoryDenyWriteExecute|ProcSubset)=/m);
    expect(unit).toMatch(/^RestrictNamespaces=user pid net$/m);
    expect(unit).toMatch(/^SystemCallFilter=@system-service chroot$/m);
  });
});

it('systemd-sysusers creates an account without a login', async () => {
  await writeFile(join(root, 'etc/passwd'), '');
  await writeFile(join(root, 'etc/group'), '');
  expect(run(...AS_ROOT, 'systemd-sysusers', `--root=${root}`, SYSUSERS).status).toBe(0);
  const account = await readFile(join(root, 'etc/passwd'), 'utf8');
  expect(account).toMatch(/^chat-web:x:\d+:\d+:Chat-web gateway:\/var\/lib\/chat-web:\/usr\/sbin\/nologin$/m);
});

it('systemd-tmpfiles lets only root read the settings, and the service those that it reloads', async () => {
  await writeFile(join(root, 'etc/group'), 'chat-web:x:0:\n');
  const folder = join(root, 'etc/chat-web');
  // Modes that an older version, or an administrator, may have left.
  await chmod(folder, 0o750);
  for (const [name, mode] of [
    ['gateway.env', 0o640],
    ['reload.env', 0o600],
    ['token', 0o600],
  ] as const)
    await writeFile(join(folder, name), 'CHAT_WEB_LOG_LEVEL=info\n', { mode });
  expect(run(...AS_ROOT, 'systemd-tmpfiles', '--create', `--root=${root}`, TMPFILES)).toEqual({
    status: 0,
    output: '',
  });
  const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
  expect(await modeOf(join(folder, 'gateway.env'))).toBe(0o600);
  expect(await modeOf(join(folder, 'reload.env'))).toBe(0o644);
  expect(await modeOf(join(folder, 'token'))).toBe(0o640);
  expect(await modeOf(folder)).toBe(0o755);
  if (process.getuid?.() === 0) {
    // The path leads through the folder of the test.
    await chmod(root, 0o755);
    const read = (name: string) => run(...AS_NOBODY, 'cat', join(folder, name)).status;
    expect([read('gateway.env'), read('reload.env')]).toEqual([1, 0]);
  }
});

it('the installed settings contain no empty token, and no default one', async () => {
  for (const name of ['gateway.env', 'reload.env'])
    expect(await readFile(source(name), 'utf8'), name).not.toMatch(/^CHAT_WEB_TOKEN=/m);
});
