import { ADA, BEN, eventually, figure, restartReasonsOf, seconds } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { expect, it } from 'vitest';

it('a page that no longer sends anything, although it reports that it is connected, is replaced', async () => {
  await using stack = await Stack.start({ simulator: { ackDelayMs: 3_600_000 } });
  await stack.link('ada', ADA);
  const startedAt = Date.now();
  const sends = Array.from({ length: 5 }, (_, n) =>
    stack.client.sendMessage({ id: 'ada', type: 'text', to: BEN, body: `unconfirmed ${n}` }),
  );
  for (const outcome of await Promise.allSettled(sends))
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'outcome_unknown' } });
  await eventually(async () => {
    expect(await stack.client.getSessionStatus({ id: 'ada' })).toMatchObject({ status: 'ready', restarts: 1 });
  });
  expect(restartReasonsOf('ada', stack.gateway.log)).toContain('PAGE_MUTE');
  figure('detection', `a mute page replaced ${seconds(Date.now() - startedAt)} after the first send`);
});
