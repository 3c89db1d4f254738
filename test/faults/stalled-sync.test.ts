import { ADA, eventually, figure, startsOf } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { expect, it } from 'vitest';

it('an account whose first sync stalls is stopped gracefully, and retried', async () => {
  const settings = { CHAT_WEB_SYNC_TIMEOUT_SECONDS: '30' };
  await using stack = await Stack.start({
    settings,
    simulator: { syncDelayMs: 20_000, syncSteps: 20, syncStallAt: 50 },
  });
  const { qr } = await stack.client.startSession({ id: 'ada' });
  await stack.phones.scan(ADA, qr ?? '');
  const startedAt = Date.now();
  const message = await eventually(async () => {
    const status = await stack.client.getSessionStatus({ id: 'ada' });
    expect(status).toMatchObject({
      reason: 'START_TIMEOUT',
      message: expect.stringContaining('made no progress for 30 s'),
    });
    return status.message;
  }, 90_000);
  const tookMs = Date.now() - startedAt;
  expect(tookMs).toBeGreaterThan(35_000);
  await stack.phones.configure({ syncStallAt: null });
  await stack.untilStatus('ada', 'ready');
  const log = stack.gateway.log.join('\n');
  expect(log).not.toContain('browser killed');
  expect(startsOf('ada', stack.gateway.log)).toHaveLength(2);
  expect((await stack.phones.account(ADA)).devices).toHaveLength(1);
  figure('first sync', `a first sync that stalls at half: ${message}; ended gracefully, and ready without a QR`);
});
