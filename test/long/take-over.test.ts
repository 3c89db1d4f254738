import { setTimeout as delay } from 'node:timers/promises';
import { ADA, eventually, figure, seconds, startsOf } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { expect, it } from 'vitest';

const MAX_TAKE_OVERS = 3;
const TAKE_OVER_AFTER_MS = 30_000;
/** Longer than the delay before a take-over. */
const LEFT_ALONE_MS = 45_000;

const loginsOf = async (stack: Stack) => (await stack.phones.account(ADA)).logins;
const isLeft = (stack: Stack) => stack.untilStatus('main', 'disconnected');

it('an account that is used elsewhere is taken back if configured, after a delay, and at most three times an hour', async () => {
  await using stack = await Stack.start({ settings: { CHAT_WEB_TAKE_OVER_ON_CONFLICT: 'true' } });
  await stack.link('main', ADA);
  const before = await loginsOf(stack);
  const waits: number[] = [];
  for (let time = 1; time <= MAX_TAKE_OVERS; time += 1) {
    const lostAt = Date.now();
    await stack.disturb(ADA, 'conflict');
    await isLeft(stack);
    await eventually(async () => expect(await loginsOf(stack)).toBe(before + time), LEFT_ALONE_MS);
    waits.push(Date.now() - lostAt);
    await stack.untilStatus('main', 'ready');
  }

  await stack.disturb(ADA, 'conflict');
  await isLeft(stack);
  // A fourth take-over would come by now.
  await delay(LEFT_ALONE_MS);
  const takeOvers = (await loginsOf(stack)) - before;
  figure('conflict', `a conflict each time: ${takeOvers} take-overs, ${waits.map(seconds).join(', ')} after the loss`);
  expect(takeOvers).toBe(MAX_TAKE_OVERS);
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(TAKE_OVER_AFTER_MS);
  expect(await stack.client.getSessionStatus({ id: 'main' })).toMatchObject({
    status: 'disconnected',
    reason: 'CONFLICT',
  });
  expect(startsOf('main', stack.gateway.log)).toHaveLength(1 + MAX_TAKE_OVERS);
});
