import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ADA, browsersIn, eventually, figure, seconds, stillRunning, withRoom, workersOf } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { describe, expect, it } from 'vitest';

const ENDED_WITHIN_MS = 10_000;
const GATEWAY_ENDED_WITHIN_MS = 5_000;

describe('a session whose browser processes are all frozen', () => {
  it('stops within 10 s, leaves no process, and starts again without a QR', async () => {
    await using stack = await Stack.start();
    await stack.link('main', ADA);
    const endedAfterMs = await endFrozen(stack, () => stack.client.stopSession({ id: 'main' }));

    const { qr } = await stack.client.startSession({ id: 'main' });
    expect(qr).toBeUndefined();
    await stack.untilStatus('main', 'ready');
    figure('stop', `stopped after ${seconds(endedAfterMs)}, 0 processes, ready again without a QR`);
    expect(endedAfterMs).toBeLessThanOrEqual(withRoom(ENDED_WITHIN_MS));
  });

  it('is deleted within 10 s, leaves neither a process nor its folder, and can be linked again', async () => {
    await using stack = await Stack.start();
    await stack.link('main', ADA);
    const endedAfterMs = await endFrozen(stack, () => stack.client.deleteSession({ id: 'main' }));

    expect(existsSync(join(stack.dataDir, 'sessions/main'))).toBe(false);
    await expect(stack.client.getSessionStatus({ id: 'main' })).rejects.toMatchObject({ code: 'session_not_found' });
    await stack.link('main', ADA);
    figure('stop', `deleted after ${seconds(endedAfterMs)}, 0 processes, linked again`);
    expect(endedAfterMs).toBeLessThanOrEqual(withRoom(ENDED_WITHIN_MS));
  });

  it('stops with its gateway within 5 s, and leaves no process', async () => {
    await using stack = await Stack.start();
    await stack.link('main', ADA);
    const endedAfterMs = await endFrozen(stack, async () => {
      expect(await stack.gateway.end('SIGTERM')).toEqual({ code: 0, signal: null });
    });
    figure('stop', `gone with the gateway after ${seconds(endedAfterMs)}, 0 processes`);
    expect(endedAfterMs).toBeLessThanOrEqual(withRoom(GATEWAY_ENDED_WITHIN_MS));
  });
});

/** Freezes the browser, then ends the session. Returns how long it took until nothing was left, in milliseconds. */
async function endFrozen({ gateway, dataDir }: Stack, end: () => Promise<unknown>): Promise<number> {
  const workers = workersOf(gateway.pid);
  const frozen = browsersIn(dataDir);
  expect(frozen.length).toBeGreaterThan(1);
  for (const pid of frozen) process.kill(pid, 'SIGSTOP');
  const askedAt = Date.now();
  await end();
  expect([...stillRunning(workers), ...browsersIn(dataDir)]).toEqual([]);
  // A killed helper may still be releasing its memory.
  await eventually(() => expect(stillRunning(frozen)).toEqual([]));
  return Date.now() - askedAt;
}
