import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { figure, seconds } from '../helpers/figure.ts';
import { browserAndWorkerIn, renderersIn, stillRunning } from '../helpers/processes.ts';
import { ADA, BEN, Stack } from '../helpers/stack.ts';

const DETECTED_WITHIN_MS = 60_000;
const READY_WITHIN_MS = 75_000;

describe.concurrent('a session recovers', () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await Stack.start();
    await stack.link('ada', ADA);
    await stack.link('ben', BEN);
  });

  afterAll(() => stack[Symbol.asyncDispose]());

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

  const after = (name: 'disconnected' | 'ready', timeoutMs: number) =>
    eventually(() => {
      expect(events.all(name)).toHaveLength(1);
      return Date.now() - frozenAt;
    }, timeoutMs);
  const detectedAfterMs = await after('disconnected', 2 * DETECTED_WITHIN_MS);
  expect(events.all('disconnected')[0]?.message).toContain('has not answered 3 probes');
  const readyAfterMs = await after('ready', READY_WITHIN_MS);
  expect(stillRunning(pids)).toEqual([]);
  await stack.client.sendMessage({ id, type: 'text', to: '12025550106', body: 'thawed' });

  figure(
    'frozen page',
    `a frozen ${what} detected after ${seconds(detectedAfterMs)}, ready again after ${seconds(readyAfterMs)}`,
  );
  expect(detectedAfterMs).toBeLessThanOrEqual(DETECTED_WITHIN_MS);
  expect(readyAfterMs).toBeLessThanOrEqual(READY_WITHIN_MS);
}
