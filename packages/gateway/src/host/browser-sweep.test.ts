import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deadOwner, fakeBrowser, processId } from '../../../../test/helpers/fake-browser.ts';
import { canBeOthers, OTHER_USER } from '../../../../test/helpers/other-user.ts';
import { endBrowsersOn, sweepAtBoot } from './browser-sweep.ts';
import { isAlive } from './processes.ts';
import { WORKER_FILE } from './worker-file.ts';

let sessionsDir: string;
let profileDir: string;
beforeEach(async () => {
  sessionsDir = await mkdtemp(join(tmpdir(), 'chat-web-sweep-'));
  profileDir = join(sessionsDir, 'main', 'session');
});
afterEach(() => rm(sessionsDir, { recursive: true }));

describe('the end of the browsers on a profile', () => {
  it('leaves a browser that ends by itself its moment', async () => {
    await using browser = await fakeBrowser(profileDir, { owner: deadOwner, closesAfterMs: 50 });
    expect(await endBrowsersOn(profileDir)).toBe(0);
    expect(isAlive(browser.main)).toBe(false);
  });

  it('kills one that hangs, and its helpers, stopped or not', async () => {
    await using browser = await fakeBrowser(profileDir, { owner: deadOwner });
    for (const { pid } of [browser.helper, browser.main]) process.kill(pid, 'SIGSTOP');
    const startedAt = Date.now();
    expect(await endBrowsersOn(profileDir)).toBe(2);
    expect(Date.now() - startedAt).toBeLessThan(1_500);
    expect([browser.main, browser.helper].filter(isAlive)).toEqual([]);
  });

  it('kills a stopped helper that has outlived its browser', async () => {
    await using browser = await fakeBrowser(profileDir, { owner: deadOwner });
    process.kill(browser.helper.pid, 'SIGSTOP');
    process.kill(browser.main.pid, 'SIGKILL');
    await vi.waitUntil(() => !isAlive(browser.main));
    expect(await endBrowsersOn(profileDir)).toBe(1);
    expect(isAlive(browser.helper)).toBe(false);
  });

  it('does not touch the browser of a worker that lives, nor one that somebody has started by hand', async () => {
    await using owned = await fakeBrowser(profileDir, { owner: processId(process.pid) });
    await using free = await fakeBrowser(profileDir);
    expect(await endBrowsersOn(profileDir)).toBe(0);
    expect([owned.main, owned.helper, free.main, free.helper].every(isAlive)).toBe(true);
  });
});

it('ends at boot what an earlier gateway has left, all at once, and nothing else', async () => {
  await using first = await fakeBrowser(profileDir, { owner: deadOwner });
  await using second = await fakeBrowser(join(sessionsDir, 'second', 'session'), { owner: deadOwner });
  await using foreign = await fakeBrowser(join(sessionsDir, 'third', 'session'));
  await using elsewhere = await fakeBrowser(`${sessionsDir}-of-another/main/session`, { owner: deadOwner });
  const startedAt = Date.now();
  expect(await sweepAtBoot(sessionsDir)).toBe(2);
  expect(Date.now() - startedAt).toBeLessThan(1_800);
  expect([first.main, first.helper, second.main, second.helper].filter(isAlive)).toEqual([]);
  expect([foreign.main, elsewhere.main].every(isAlive)).toBe(true);
});

describe('a command line that names an owner', () => {
  it.runIf(canBeOthers)('ends nothing where another user wrote it, neither what it names nor itself', async () => {
    const victim = await sleeper();
    await using forged = await fakeBrowser(profileDir, { owner: victim.id, user: OTHER_USER });
    await using abandoned = await fakeBrowser(profileDir, { owner: deadOwner, user: OTHER_USER });
    expect(await sweepAtBoot(sessionsDir)).toBe(0);
    expect(await endBrowsersOn(profileDir)).toBe(0);
    const all = [victim.id, forged.main, forged.helper, abandoned.main, abandoned.helper];
    expect(all.filter((one) => !isAlive(one))).toEqual([]);
    victim.end();
  });

  it('ends no process that does not run the file of a worker', async () => {
    const victim = await sleeper();
    await using browser = await fakeBrowser(profileDir, { owner: victim.id });
    expect(await endBrowsersOn(profileDir)).toBe(0);
    expect([victim.id, browser.main].filter((one) => !isAlive(one))).toEqual([]);
    victim.end();
  });

  it('ends a worker that has lost its gateway and is stuck, together with its browser', async () => {
    const worker = await stuckOrphan(WORKER_FILE);
    await using browser = await fakeBrowser(profileDir, { owner: worker });
    expect(await endBrowsersOn(profileDir)).toBe(3);
    expect([worker, browser.main, browser.helper].filter(isAlive)).toEqual([]);
  });

  it('ends no orphan that runs another file', async () => {
    const orphan = await stuckOrphan(fileURLToPath(import.meta.resolve('@chat-web/gateway/main')));
    await using browser = await fakeBrowser(profileDir, { owner: orphan });
    expect(await endBrowsersOn(profileDir)).toBe(0);
    expect([orphan, browser.main].filter((one) => !isAlive(one))).toEqual([]);
    process.kill(orphan.pid, 'SIGKILL');
  });
});

/** A process of our own user that has nothing to do with browsers. */
async function sleeper() {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  await once(child, 'spawn');
  return { id: processId(child.pid ?? 0), end: () => child.kill('SIGKILL') };
}

/** A process that runs a file of Node's, is stopped before it has begun, and has lost its parent. */
async function stuckOrphan(file: string) {
  const started = `const { pid } = require('child_process').spawn(process.execPath, ['--no-warnings', ${JSON.stringify(file)}], { detached: true, stdio: 'ignore' });`;
  const parent = spawn(process.execPath, [
    '-e',
    `${started} process.kill(pid, 'SIGSTOP'); console.log(pid); process.exit()`,
  ]);
  const [[line]] = await Promise.all([once(parent.stdout, 'data'), once(parent, 'exit')]);
  return processId(Number(line));
}
