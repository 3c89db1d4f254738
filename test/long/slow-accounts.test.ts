import { setTimeout as delay } from 'node:timers/promises';
import { ADA, eventually, figure, logLines, seconds, startsOf } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { describe, expect, it } from 'vitest';

const MB = 1_048_576;
const MINUTE = 60_000;
const SYNC_MS = 8 * MINUTE;

/** The memory of a session once it has settled, in MB, from the log; undefined before that. */
function settledAt(stack: Stack, id: string): number | undefined {
  const settled = logLines(stack.gateway.log).find(({ msg, session }) => session === id && msg === 'memory settled') as
    | { readonly bytes?: number }
    | undefined;
  return settled?.bytes === undefined ? undefined : settled.bytes / MB;
}

// These tests mostly wait.
describe.concurrent('an account with a long history', () => {
  it('may take eight minutes for its first sync while that makes progress: one start, no kill', async () => {
    const settings = { CHAT_WEB_SYNC_TIMEOUT_SECONDS: '60' };
    await using stack = await Stack.start({
      settings,
      simulator: { syncDelayMs: SYNC_MS, syncSteps: 24, firstSyncMs: 2 * SYNC_MS },
    });
    const { qr } = await stack.client.startSession({ id: 'ada' });
    await stack.phones.scan(ADA, qr ?? '');
    const startedAt = Date.now();
    await stack.untilStatus('ada', 'ready', SYNC_MS + MINUTE);
    const tookMs = Date.now() - startedAt;
    expect(tookMs).toBeGreaterThan(SYNC_MS - 5_000);
    expect(startsOf('ada', stack.gateway.log)).toHaveLength(1);
    expect((await stack.client.getSessionStatus({ id: 'ada' })).restarts).toBe(0);
    expect((await stack.phones.account(ADA)).logins).toBe(1);
    figure('first sync', `a first sync of ${seconds(tookMs)} with steady progress: 1 start, 0 kills`);
  });

  it('that settles at 1.5 GB is not recycled, and is logged', async () => {
    // Longer than the growth takes, so that it does not settle earlier.
    const settings = { CHAT_WEB_MEMORY_SETTLE_SECONDS: '150' };
    await using stack = await Stack.start({ settings });
    await stack.link('ada', ADA);
    await stack.disturb(ADA, 'grow', { mb: 1_300 });
    await eventually(async () => expect(await stack.memoryMb('ada')).toBeGreaterThan(1_400), 120_000);
    await eventually(() => expect(settledAt(stack, 'ada')).toBeGreaterThan(1_400), 180_000);
    // Idle for longer than recycling requires.
    await delay(60_000);
    const { status, restarts } = await stack.client.getSessionStatus({ id: 'ada' });
    expect({ status, restarts }).toEqual({ status: 'ready', restarts: 0 });
    const taken = Math.round(await stack.memoryMb('ada'));
    figure('large account', `a page that settles at ${taken} MB, soft mark 700 MB: 0 recycled`);
  });
});
