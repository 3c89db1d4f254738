import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readlink, rm, symlink } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADA, browserMainsOn, eventually, figure, rounds, untilEnded, withRoom } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { findBrowser } from '@chat-web/worker/browser';
import { describe, expect, it } from 'vitest';

const READY_WITHIN_MS = 5_000;
const LOCKS: readonly (readonly [whose: string, owner: () => string])[] = [
  ['of an exited process', () => `${hostname()}-999999999`],
  ['whose process id has been reused', () => `${hostname()}-${process.pid}`],
  ['of another host', () => 'another-host-4711'],
];

describe('profile locks: stale ones are replaced, those of live browsers respected', () => {
  it.each(rounds({ few: LOCKS.slice(0, 1), all: LOCKS }))('a lock %s does not stop a start', async (name, owner) => {
    await using stack = await Stack.start();
    await stack.link('main', ADA);
    await stack.client.stopSession({ id: 'main' });
    const profile = profileOf(stack);
    for (const file of ['SingletonLock', 'SingletonCookie', 'SingletonSocket'])
      await rm(join(profile, file), { force: true });
    await symlink(owner(), join(profile, 'SingletonLock'));
    await symlink('4711', join(profile, 'SingletonCookie'));
    await symlink(join(tmpdir(), 'gone', 'SingletonSocket'), join(profile, 'SingletonSocket'));

    const startedAt = performance.now();
    await stack.client.startSession({ id: 'main' });
    await stack.untilStatus('main', 'ready');
    const tookMs = Math.round(performance.now() - startedAt);
    expect(tookMs).toBeLessThan(withRoom(READY_WITHIN_MS));
    expect(browserMainsOn(profile)).toHaveLength(1);
    expect(stack.gateway.log.join()).not.toContain('session restarting');
    figure('profile locks', `with a lock ${name}, ready after ${tookMs} ms`);
  });

  it('a browser started by hand keeps its profile, and the status reports it', async () => {
    await using stack = await Stack.start();
    await stack.link('main', ADA);
    await stack.client.stopSession({ id: 'main' });
    const profile = profileOf(stack);
    await using foreign = await startByHand(profile);
    const lock = await readlink(join(profile, 'SingletonLock'));

    const start = stack.client.startSession({ id: 'main' });
    const startedAt = performance.now();
    await eventually(async () => {
      const { reason, message } = await stack.client.getSessionStatus({ id: 'main' });
      expect(reason).toBe('START_REFUSED');
      expect(message).toContain(`process ${foreign.pid}`);
    }, withRoom(READY_WITHIN_MS));
    const reportedAfterMs = Math.round(performance.now() - startedAt);
    expect(browserMainsOn(profile)).toEqual([foreign.pid]);
    expect(await readlink(join(profile, 'SingletonLock'))).toBe(lock);

    await stack.client.stopSession({ id: 'main' });
    await start;
    expect(browserMainsOn(profile)).toEqual([foreign.pid]);
    await foreign[Symbol.asyncDispose]();
    await stack.client.startSession({ id: 'main' });
    await stack.untilStatus('main', 'ready');
    figure('profile locks', `a live browser is left running, reported after ${reportedAfterMs} ms; 0 duplicates`);
  });
});

function profileOf(stack: Stack): string {
  return join(stack.dataDir, 'sessions', 'main', 'session');
}

/** A browser on a profile, as an operator may start it. */
async function startByHand(profile: string) {
  const tmp = await mkdtemp(join(tmpdir(), 'chat-web-hand-'));
  const args = ['--headless=new', '--no-sandbox', `--user-data-dir=${profile}`, 'about:blank'];
  const child: ChildProcess = spawn(findBrowser({ env: process.env }), args, {
    stdio: 'ignore',
    env: { ...process.env, TMPDIR: tmp },
  });
  await eventually(() => expect(existsSync(join(profile, 'SingletonSocket'))).toBe(true));
  return {
    pid: child.pid ?? 0,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await untilEnded(child);
      await rm(tmp, { recursive: true, force: true });
    },
  };
}
