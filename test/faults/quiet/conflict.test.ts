import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { figure, seconds } from '../../helpers/figure.ts';
import { startsOf } from '../../helpers/log-lines.ts';
import { workersOf } from '../../helpers/processes.ts';
import { ADA, BEN, Stack } from '../../helpers/stack.ts';

const CONFLICTS = 10;
const MOST_TAKE_OVERS = 3;
const TAKE_OVER_AFTER_MS = 30_000;
/** Longer than the reconnect timeout, and than the delay before a take-over. */
const LEFT_ALONE_MS = 45_000;

/** Reports to the account's page that another page has taken over its link. */
async function conflict(stack: Stack): Promise<void> {
  const page = (await stack.phones.pages()).find(({ number }) => number === ADA);
  await stack.phones.disturb(page?.id ?? '', 'conflict');
}

const loginsOf = async (stack: Stack) => (await stack.phones.account(ADA)).logins;
const isLeft = (stack: Stack) => stack.untilStatus('main', 'disconnected');

// These tests mostly wait.
describe.concurrent('an account that is used elsewhere with the same link', () => {
  it('is left to the other user until it is restarted by hand: ten times', async () => {
    await using stack = await Stack.start({ settings: { CHAT_WEB_RECONNECT_TIMEOUT_SECONDS: '10' } });
    await stack.link('main', ADA);
    const events = await stack.listen('main');
    let loginsUnasked = 0;

    for (let time = 1; time <= CONFLICTS; time += 1) {
      const logins = await loginsOf(stack);
      const workers = workersOf(stack.gateway.pid);
      await conflict(stack);
      await isLeft(stack);
      expect(await stack.client.getSessionStatus({ id: 'main' })).toMatchObject({ reason: 'CONFLICT' });
      if (time === CONFLICTS) await delay(LEFT_ALONE_MS);
      expect(await stack.client.getSessionStatus({ id: 'main' })).toMatchObject({ status: 'disconnected' });
      loginsUnasked += (await loginsOf(stack)) - logins;
      expect(workersOf(stack.gateway.pid)).toEqual(workers);

      await stack.client.restartSession({ id: 'main' });
      await stack.untilStatus('main', 'ready');
      expect(await loginsOf(stack)).toBe(logins + 1);
    }

    await stack.client.sendMessage({ id: 'main', type: 'text', to: BEN, body: 'back' });
    const conflicts = events.all('disconnected').filter(({ reason }) => reason === 'CONFLICT').length;
    figure('conflict', `${CONFLICTS} conflicts: ${loginsUnasked} take-overs, also within ${seconds(LEFT_ALONE_MS)}`);
    expect(loginsUnasked).toBe(0);
    expect(conflicts).toBe(CONFLICTS);
    expect(startsOf('main', stack.gateway.log)).toHaveLength(1 + CONFLICTS);
  });

  it('is taken back if configured, after a delay, and at most three times an hour', async () => {
    await using stack = await Stack.start({ settings: { CHAT_WEB_TAKE_OVER_ON_CONFLICT: 'true' } });
    await stack.link('main', ADA);
    const before = await loginsOf(stack);
    const waits: number[] = [];
    for (let time = 1; time <= MOST_TAKE_OVERS; time += 1) {
      const lostAt = Date.now();
      await conflict(stack);
      await isLeft(stack);
      await eventually(async () => expect(await loginsOf(stack)).toBe(before + time), LEFT_ALONE_MS);
      waits.push(Date.now() - lostAt);
      await stack.untilStatus('main', 'ready');
    }

    await conflict(stack);
    await isLeft(stack);
    await delay(LEFT_ALONE_MS);
    const takeOvers = (await loginsOf(stack)) - before;
    figure(
      'conflict',
      `a conflict each time: ${takeOvers} take-overs, ${waits.map(seconds).join(', ')} after the loss`,
    );
    expect(takeOvers).toBe(MOST_TAKE_OVERS);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(TAKE_OVER_AFTER_MS);
    expect(await stack.client.getSessionStatus({ id: 'main' })).toMatchObject({
      status: 'disconnected',
      reason: 'CONFLICT',
    });
    expect(startsOf('main', stack.gateway.log)).toHaveLength(1 + MOST_TAKE_OVERS);
  });
});
