import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { canBeOthers, OTHER_USER } from '@chat-web/testing';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ConfigError } from '../config-error.ts';
import { DataDirInUseError, holdDataDir } from './data-lock.ts';

const log = pino({ enabled: false });
let dataDir: string;
beforeEach(async () => {
  dataDir = join(await mkdtemp(join(tmpdir(), 'chat-web-lock-')), 'long'.repeat(40));
  await mkdir(dataDir);
});
afterEach(() => rm(join(dataDir, '..'), { recursive: true }));

it('allows one holder at a time, also for a path longer than a socket path may be', async () => {
  const release = await holdDataDir(dataDir, log);
  await expect(holdDataDir(dataDir, log)).rejects.toThrow(DataDirInUseError);
  await release();
  await (await holdDataDir(dataDir, log))();
});

it('is released when its process is killed', async () => {
  const module = new URL('../../dist/host/data-lock.js', import.meta.url).href;
  const script = `const { holdDataDir } = await import('${module}'); await holdDataDir(process.argv[2], console); process.send(1); setInterval(() => {}, 1e6);`;
  const holder = fork('data:text/javascript,', [dataDir], { execArgv: ['--input-type=module', '-e', script] });
  await once(holder, 'message');
  await expect(holdDataDir(dataDir, log)).rejects.toThrow(DataDirInUseError);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  await (await holdDataDir(dataDir, log))();
});

it('rejects a world-writable folder, and warns below one', async () => {
  await chmod(dataDir, 0o1777);
  await expect(holdDataDir(dataDir, log)).rejects.toThrow(ConfigError);
  await chmod(dataDir, 0o770);
  const parent = join(dataDir, '..');
  await chmod(parent, 0o777);
  const warnings: object[] = [];
  await (await holdDataDir(dataDir, { warn: (fields: object) => warnings.push(fields) }))();
  expect(warnings).toEqual([{ setting: 'CHAT_WEB_DATA_DIR', hint: `chmod o-w ${parent}` }]);
});

it.runIf(canBeOthers())('restores the permissions that a worker has taken away', async () => {
  await chmod(join(dataDir, '..'), 0o755);
  await chown(dataDir, OTHER_USER, OTHER_USER);
  await chmod(dataDir, 0);
  const module = new URL('../../dist/host/data-lock.js', import.meta.url).href;
  const script = `const { holdDataDir } = await import('${module}'); await holdDataDir(process.argv[1], console); console.log('held'); process.exit()`;
  const args = ['--input-type=module', '-e', script, dataDir];
  const other = spawn(process.execPath, args, { uid: OTHER_USER, gid: OTHER_USER, cwd: '/' });
  expect(await text(other.stdout)).toBe('held\n');
});

it.runIf(canBeOthers()).each([0o755, 0o700])(
  'of another user is refused with the command to run: mode %o',
  async (mode) => {
    await chmod(join(dataDir, '..'), 0o755);
    await chmod(dataDir, mode);
    const module = new URL('../../dist/host/data-lock.js', import.meta.url).href;
    const script = `const { holdDataDir } = await import('${module}'); await holdDataDir(process.argv[1], console).catch(({ message }) => console.log(message))`;
    const args = ['--input-type=module', '-e', script, dataDir];
    const other = spawn(process.execPath, args, { uid: OTHER_USER, gid: OTHER_USER, cwd: '/' });
    expect(await text(other.stdout)).toContain(
      `belongs to user 0, and the gateway runs as user ${OTHER_USER}: as root, run "chown -R ${OTHER_USER}:${OTHER_USER} ${dataDir}"`,
    );
  },
);

it.runIf(canBeOthers())('is also held by a gateway whose socket denies access', async () => {
  const release = await holdDataDir(dataDir, log);
  await chmod(join(dataDir, '..'), 0o755);
  await chmod(dataDir, 0o755);
  await chmod(join(dataDir, 'gateway.lock'), 0o700);
  const module = new URL('../../dist/host/data-lock.js', import.meta.url).href;
  const script = `const { holdDataDir } = await import('${module}'); await holdDataDir(process.argv[1], console).catch(({ name }) => console.log(name))`;
  const args = ['--input-type=module', '-e', script, dataDir];
  const other = spawn(process.execPath, args, { uid: OTHER_USER, gid: OTHER_USER, cwd: '/' });
  expect(await text(other.stdout)).toBe('DataDirInUseError\n');
  await release();
});
