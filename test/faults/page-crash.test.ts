import { ADA, BEN, eventually, figure, renderersIn, seconds, withRoom } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { describe, expect, it } from 'vitest';

const CALLS = 5;
const FAILED_WITHIN_MS = 1_000;
const READY_WITHIN_MS = 15_000;

describe('the SIGKILL of a renderer with five sends in flight', () => {
  it('fails them with outcome_unknown within 1 s, emits disconnected, and recovers within 15 s', async () => {
    await using stack = await Stack.start({ simulator: { ackDelayMs: 60_000 } });
    await stack.link('main', ADA);
    const events = await stack.listen('main');

    const sends: Promise<{ outcome: string; at: number }>[] = [];
    for (let n = 0; n < CALLS; n += 1) {
      const body = `in flight ${n}`;
      const send = stack.client.sendMessage({ id: 'main', type: 'text', to: BEN, body }).then(
        () => 'confirmed',
        ({ code }) => code as string,
      );
      sends.push(send.then((outcome) => ({ outcome, at: Date.now() })));
      await stack.untilInPage('main', BEN, body);
    }
    const renderers = renderersIn(stack.dataDir);
    expect(renderers).toHaveLength(1);
    const killedAt = Date.now();
    for (const pid of renderers) process.kill(pid, 'SIGKILL');

    const answers = await Promise.all(sends);
    expect(answers.map(({ outcome }) => outcome)).toEqual(Array(CALLS).fill('outcome_unknown'));
    expect(answers.filter(({ at }) => at < killedAt)).toEqual([]);
    const failedAfterMs = Math.max(...answers.map(({ at }) => at)) - killedAt;
    const { reason } = await events.until('disconnected');
    expect(reason).toBe('PAGE_CRASHED');
    const readyAfterMs = await eventually(() => {
      expect(events.all('ready')).toHaveLength(1);
      return Date.now() - killedAt;
    }, withRoom(READY_WITHIN_MS));

    await stack.phones.configure({ ackDelayMs: 20 });
    await stack.client.sendMessage({ id: 'main', type: 'text', to: BEN, body: 'back' });
    expect(events.events.map(({ name }) => name).filter((name) => name !== 'message_ack')).toEqual([
      'disconnected',
      'ready',
    ]);
    figure(
      'page crash',
      `${CALLS} of ${CALLS} calls failed within ${failedAfterMs} ms, ready after ${seconds(readyAfterMs)}`,
    );
    expect(failedAfterMs).toBeLessThanOrEqual(withRoom(FAILED_WITHIN_MS));
    expect(readyAfterMs).toBeLessThanOrEqual(withRoom(READY_WITHIN_MS));
  });
});
