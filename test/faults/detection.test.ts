import {
  ADA,
  BEN,
  browserAndWorkerIn,
  eventually,
  figure,
  restartReasonsOf,
  rounds,
  seconds,
  withRoom,
  workersOf,
} from '@chat-web/testing';
import { itInAllRounds } from '@chat-web/testing/hooks';
import { Stack } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

/** Of a worker that is stopped. */
const DETECTED_WITHIN_MS = 21_000;

/** Waits until the session has restarted this often, and is ready. */
async function untilRestarted(stack: Stack, id: string, restarts: number, timeoutMs?: number): Promise<void> {
  await eventually(async () => {
    expect(await stack.client.getSessionStatus({ id })).toMatchObject({ status: 'ready', restarts });
  }, timeoutMs);
}

// These tests mostly wait.
describe.concurrent('a page that is connected and', () => {
  it('no longer notifies its listeners: messages are delivered all the same, and the page is replaced', async () => {
    await using stack = await Stack.start();
    await stack.link('ada', ADA);
    const events = await stack.listen('ada');
    await stack.disturb(ADA, 'deaf');
    await stack.phones.settled();
    const startedAt = Date.now();
    await stack.phones.send(BEN, { to: ADA, body: 'unheard 1' });
    await events.until('message', ({ body }) => body === 'unheard 1');
    const deliveredMs = Date.now() - startedAt;
    await stack.phones.send(BEN, { to: ADA, body: 'unheard 2' });
    await untilRestarted(stack, 'ada', 1, 75_000);
    await stack.phones.send(BEN, { to: ADA, body: 'heard' });
    await events.until('message', ({ body }) => body === 'heard');
    expect(events.all('message').map(({ body }) => body)).toEqual(['unheard 1', 'unheard 2', 'heard']);
    expect(restartReasonsOf('ada', stack.gateway.log)).toContain('PAGE_DEAF');
    figure(
      'detection',
      `deaf page: its first message delivered after ${seconds(deliveredMs)}, all of 3 delivered once`,
    );
  });

  it('receives nothing: a probe of the network gets no answer, and the page is replaced', async () => {
    await using stack = await Stack.start({ settings: { CHAT_WEB_SILENCE_TIMEOUT_SECONDS: '10' } });
    await stack.linkLongAgo('ada', ADA);
    const events = await stack.listen('ada');
    await stack.phones.stall(ADA, true);
    await stack.phones.send(BEN, { to: ADA, body: 'into the void' });
    const startedAt = Date.now();
    await events.until('message', ({ body }) => body === 'into the void', 180_000);
    const tookMs = Date.now() - startedAt;
    expect(restartReasonsOf('ada', stack.gateway.log)).toContain('PAGE_DEAF');
    expect(events.all('message')).toHaveLength(1);
    figure('detection', `half-open connection: the pending message delivered after ${seconds(tookMs)}`);
  });

  itInAllRounds('loses its connection: it gets time to reconnect, and is replaced if it does not', async () => {
    await using stack = await Stack.start({ settings: { CHAT_WEB_RECONNECT_TIMEOUT_SECONDS: '10' } });
    await stack.link('ada', ADA);
    const events = await stack.listen('ada');
    const workers = workersOf(stack.gateway.pid);
    await stack.phones.disconnect(ADA);
    await events.until('disconnected');
    await stack.phones.send(BEN, { to: ADA, body: 'while you were out' });
    await stack.phones.reconnect(ADA);
    await events.until('ready');
    await events.until('message', ({ body }) => body === 'while you were out');
    expect(workersOf(stack.gateway.pid)).toEqual(workers);

    await stack.phones.disconnect(ADA);
    await eventually(() => expect(restartReasonsOf('ada', stack.gateway.log)).toContain('CONNECTION_LOST'));
    await stack.phones.reconnect(ADA);
    await eventually(() => expect(events.all('ready')).toHaveLength(2));
    expect(events.all('message')).toHaveLength(1);
  });
});

describe('a worker that is stopped', () => {
  it('is detected by missing heartbeats, killed and replaced, while the other keeps running', async () => {
    await using stack = await Stack.start();
    await Promise.all([stack.link('ada', ADA), stack.link('ben', BEN)]);
    const ben = await stack.listen('ben');
    const ada = await stack.listen('ada');
    const { worker } = browserAndWorkerIn(`${stack.dataDir}/sessions/ada`);
    const startedAt = Date.now();
    process.kill(worker, 'SIGSTOP');
    await ada.until('disconnected', undefined, withRoom(DETECTED_WITHIN_MS));
    const detectedMs = Date.now() - startedAt;
    await untilRestarted(stack, 'ada', 1);
    expect(ben.events).toEqual([]);
    expect(restartReasonsOf('ada', stack.gateway.log)).toContain('WORKER_UNRESPONSIVE');
    figure('detection', `stopped worker: detected after ${seconds(detectedMs)}`);
    expect(detectedMs).toBeLessThanOrEqual(withRoom(DETECTED_WITHIN_MS));
  });
});

describe('an account that the network', () => {
  const stack = sharedStack();
  beforeAll(() => stack.link('ada', ADA));

  it.each(rounds({ few: ['TOS_BLOCK'], all: ['TOS_BLOCK', 'SMB_TOS_BLOCK', 'PROXYBLOCK'] } as const))(
    'restricts (%s) fails with the reason, and can be started again by hand',
    async (state) => {
      const events = await stack.listen('ada');
      await stack.disturb(ADA, 'state', { state });
      await stack.untilStatus('ada', 'failed');
      expect(await stack.client.getSessionStatus({ id: 'ada' })).toMatchObject({
        reason: 'ACCOUNT_RESTRICTED',
        message: expect.stringContaining(state),
        restarts: 0,
      });
      expect(events.all('disconnected')).toHaveLength(1);
      expect(workersOf(stack.gateway.pid)).toEqual([]);
      await stack.client.startSession({ id: 'ada' });
      await stack.untilStatus('ada', 'ready');
    },
  );

  itInAllRounds('reports as running an outdated page is restarted with a fresh page', async () => {
    await stack.disturb(ADA, 'state', { state: 'DEPRECATED_VERSION' });
    await untilRestarted(stack, 'ada', 1);
  });
});
