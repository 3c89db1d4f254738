import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canBeOthers, deadOwner, fakeBrowser, OTHER_USER, processId } from '@chat-web/testing';
import { freshFolder } from '@chat-web/testing/hooks';
import { beforeEach, describe, expect, it } from 'vitest';
import { endBrowsersOn, sweepAtBoot } from './browser-sweep.ts';
import { WORKER_FILE } from './browsers.ts';
import { isAlive } from './processes.ts';

const sessionsDir = freshFolder();
let profileDir: string;
beforeEach(() => {
  profileDir = join(sessionsDir, 'main', 'session');
});

describe('endBrowsersOn', () => {
  it('gives a browser time to exit by itself', async () => {
    await using browser = await fakeBrowser(profileDir, { owner: deadOwner, closesAfterMs: 50 });
    expect(await endBrowsersOn(profileDir, 10_000)).toBe(0);
    expect(isAlive(browser.main)).toBe(false);
  });

  it('kills an unresponsive browser and its helpers, stopped or not', async () => {
    await using browser = await fakeBrowser(profileDir, { owner: deadOwner });
    for (const { pid } of [browser.helper, browser.main]) process.kill(pid, 'SIGSTOP');
    expect(await endBrowsersOn(profileDir)).toBe(2);
    expect([browser.main, browser.helper].filter(isAlive)).toEqual([]);
  });

  it('kills a stopped helper that outlived its browser', async () => {
    await using browser = await fakeBrowser(profileDir, { owner: deadOwner });
    process.kill(browser.helper.pid, 'SIGSTOP');
    process.kill(browser.main.pid, 'SIGKILL');
    await expect.poll(() => isAlive(browser.main)).toBe(false);
    expect(await endBrowsersOn(profileDir)).toBe(1);
    expect(isAlive(browser.helper)).toBe(false);
  });

  it('does not touch the browser of a live worker, nor one started by hand', async () => {
    await using owned = await fakeBrowser(profileDir, { owner: processId(process.pid) });
    await using free = await fakeBrowser(profileDir);
    expect(await endBrowsersOn(profileDir)).toBe(0);
    expect([owned.main, owned.helper, free.main, free.helper].every(isAlive)).toBe(true);
  });
});

async function timeOf(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

it('kills leftovers of a previous gateway at boot, in parallel, and nothing else', async () => {
  let oneByOneMs = 0;
  for (let n = 0; n < 4; n += 1) {
    await using single = await fakeBrowser(profileDir, { owner: deadOwner });
    oneByOneMs += await timeOf(async () => expect(await sweepAtBoot(sessionsDir)).toBe(1));
    expect(isAlive(single.main)).toBe(false);
  }
  const abandon = (id: string) => fakeBrowser(join(sessionsDir, id, 'session'), { owner: deadOwner });
  await using a = await abandon('a');
  await using b = await abandon('b');
  await using c = await abandon('c');
  await using d = await abandon('d');
  await using foreign = await fakeBrowser(join(sessionsDir, 'third', 'session'));
  await using elsewhere = await fakeBrowser(`${sessionsDir}-of-another/main/session`, { owner: deadOwner });
  const togetherMs = await timeOf(async () => expect(await sweepAtBoot(sessionsDir)).toBe(4));
  expect(togetherMs).toBeLessThan(0.75 * oneByOneMs);
  expect([a, b, c, d].flatMap(({ main, helper }) => [main, helper]).filter(isAlive)).toEqual([]);
  expect([foreign.main, elsewhere.main].every(isAlive)).toBe(true);
});

describe('a command line that names an owner', () => {
  it.runIf(canBeOthers())('kills nothing if another user wrote it', async () => {
    const victim = await sleeper();
    await using forged = await fakeBrowser(profileDir, { owner: victim.id, user: OTHER_USER });
    await using abandoned = await fakeBrowser(profileDir, { owner: deadOwner, user: OTHER_USER });
    expect(await sweepAtBoot(sessionsDir)).toBe(0);
    expect(await endBrowsersOn(profileDir)).toBe(0);
    const all = [victim.id, forged.main, forged.helper, abandoned.main, abandoned.helper];
    expect(all.filter((one) => !isAlive(one))).toEqual([]);
    victim.end();
  });

  it('kills no process that does not run the worker file', async () => {
    const victim = await sleeper();
    await using browser = await fakeBrowser(profileDir, { owner: victim.id });
    expect(await endBrowsersOn(profileDir)).toBe(0);
    expect([victim.id, browser.main].filter((one) => !isAlive(one))).toEqual([]);
    victim.end();
  });

  it('kills a stuck worker whose gateway is dead, with its browser', async () => {
    const worker = await stuckOrphan(WORKER_FILE);
    await using browser = await fakeBrowser(profileDir, { owner: worker });
    expect(await endBrowsersOn(profileDir)).toBe(3);
    expect([worker, browser.main, browser.helper].filter(isAlive)).toEqual([]);
  });

  it('kills no orphan that runs another file', async () => {
    const orphan = await stuckOrphan(fileURLToPath(import.meta.resolve('@chat-web/gateway/main')));
    await using browser = await fakeBrowser(profileDir, { owner: orphan });
    expect(await endBrowsersOn(profileDir)).toBe(0);
    expect([orphan, browser.main].filter((one) => !isAlive(one))).toEqual([]);
    process.kill(orphan.pid, 'SIGKILL');
  });
});

/** A process of our own user that is not a browser. */
async function sleeper() {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  await once(child, 'spawn');
  return { id: processId(child.pid ?? 0), end: () => child.kill('SIGKILL') };
}

/** A Node process that is stopped before it starts, and orphaned. */
async function stuckOrphan(file: string) {
  const started = `const { pid } = require('child_process').spawn(process.execPath, ['--no-warnings', ${JSON.stringify(file)}], { detached: true, stdio: 'ignore' });`;
  const parent = spawn(process.execPath, [
    '-e',
    `${started} process.kill(pid, 'SIGSTOP'); console.log(pid); process.exit()`,
  ]);
  const [[line]] = await Promise.all([once(parent.stdout, 'data'), once(parent, 'exit')]);
  return processId(Number(line));
}
