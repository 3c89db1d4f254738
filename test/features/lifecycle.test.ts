import { setTimeout as delay } from 'node:timers/promises';
import { ADA, browsersIn, workersOf } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { describe, expect, it } from 'vitest';

/** How long a phone keeps a device whose greeting is not answered. */
const ONBOARDING_MS = 30_000;

describe('stop', () => {
  it('ends an unresponsive worker and its browser', async () => {
    await using stack = await Stack.start();
    await stack.link('main', ADA);
    const [worker = Number.NaN] = workersOf(stack.gateway.pid); // 0 would signal all processes of this test.
    process.kill(worker, 'SIGSTOP');
    expect(await stack.client.stopSession({ id: 'main' })).toEqual({ id: 'main', status: 'stopped' });
    expect(workersOf(stack.gateway.pid)).toEqual([]);
    expect(browsersIn(stack.dataDir)).toEqual([]);
  });
});

describe('an account', () => {
  it("is not unlinked by a phone that waits for an answer to the page's greeting: the worker answers it", async () => {
    await using stack = await Stack.start({ simulator: { onboardingMs: ONBOARDING_MS } });
    await stack.link('main', ADA);
    const events = await stack.listen('main');
    await delay(ONBOARDING_MS + 500); // The phone counts from the scan.
    expect((await stack.phones.account(ADA)).devices).toHaveLength(1);
    expect(events.events).toEqual([]);
    expect(await stack.client.getSessionStatus({ id: 'main' })).toMatchObject({ status: 'ready' });
  });
});
