import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deadOwner, fakeBrowser, processId } from '../../../../test/helpers/fake-browser.ts';
import { endBrowsersOn, sweepAtBoot } from './browser-sweep.ts';
import { isAlive } from './processes.ts';

let sessionsDir: string;
let profileDir: string;
beforeEach(async () => {
  sessionsDir = await mkdtemp(join(tmpdir(), 'chat-web-sweep-'));
  profileDir = join(sessionsDir, 'main', 'session');
});
afterEach(() => rm(sessionsDir, { recursive: true }));

describe('the end of the browsers on a profile', () => {
  it('leaves a browser that ends by itself its moment', async () => {
    await using browser = await fakeBrowser(profileDir, { owner: deadOwner, closesAfterMs: 300 });
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
