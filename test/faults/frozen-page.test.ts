import {
  ADA,
  BEN,
  browserAndWorkerIn,
  eventually,
  FARID,
  figure,
  renderersIn,
  seconds,
  stillRunning,
  withRoom,
} from '@chat-web/testing';
import type { Stack } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

const DETECTED_WITHIN_MS = 60_000;
const READY_WITHIN_MS = 75_000;

describe.concurrent('a session recovers', () => {
  const stack = sharedStack();

  beforeAll(async () => {
    await stack.link('ada', ADA);
    await stack.link('ben', BEN);
  });

  it('when its page is frozen: SIGSTOP of the renderer', async () => {
    await expectRecovery(stack, 'ada', 'renderer', renderersIn(`${stack.dataDir}/sessions/ada`));
  });

  it('when its browser is frozen: SIGSTOP of the main process', async () => {
    await expectRecovery(stack, 'ben', 'browser', [browserAndWorkerIn(`${stack.dataDir}/sessions/ben`).browser]);
  });
});

async function expectRecovery(stack: Stack, id: string, what: string, pids: readonly number[]): Promise<void> {
  const events = await stack.listen(id);
  expect(pids).toHaveLength(1);
  const frozenAt = Date.now();
  for (const pid of pids) process.kill(pid, 'SIGSTOP');

  const after = async (name: 'disconnected' | 'ready', limitMs: number) => {
    await eventually(() => expect(events.all(name)).toHaveLength(1), frozenAt + limitMs - Date.now());
    const tookMs = Date.now() - frozenAt;
    expect(tookMs).toBeLessThanOrEqual(limitMs);
    return tookMs;
  };
  const detectedAfterMs = await after('disconnected', withRoom(DETECTED_WITHIN_MS));
  expect(events.all('disconnected')[0]?.message).toContain('has not answered 3 probes');
  const readyAfterMs = await after('ready', withRoom(READY_WITHIN_MS));
  expect(stillRunning(pids)).toEqual([]);
  await stack.client.sendMessage({ id, type: 'text', to: FARID, body: 'thawed' });

  figure(
    'frozen page',
    `a frozen ${what} detected after ${seconds(detectedAfterMs)}, ready again after ${seconds(readyAfterMs)}`,
  );
}
