import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DataDirInUseError, holdDataDir } from './data-lock.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = join(await mkdtemp(join(tmpdir(), 'chat-web-lock-')), 'long'.repeat(40));
  await mkdir(dataDir);
});
afterEach(() => rm(join(dataDir, '..'), { recursive: true }));

it('lets one hold the folder at a time, also one whose path is longer than a socket takes', async () => {
  const release = await holdDataDir(dataDir);
  await expect(holdDataDir(dataDir)).rejects.toThrow(DataDirInUseError);
  await release();
  await (await holdDataDir(dataDir))();
});

it('is not held by a process that was killed', async () => {
  const module = new URL('../dist/data-lock.js', import.meta.url).href;
  const script = `const { holdDataDir } = await import('${module}'); await holdDataDir(process.argv[2]); process.send(1); setInterval(() => {}, 1e6);`;
  const holder = fork('data:text/javascript,', [dataDir], { execArgv: ['--input-type=module', '-e', script] });
  await once(holder, 'message');
  await expect(holdDataDir(dataDir)).rejects.toThrow(DataDirInUseError);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  await (await holdDataDir(dataDir))();
});
