import { setTimeout as delay } from 'node:timers/promises';
import { ADA, BEN, figure, rounds, seconds, startsOf, workersOf } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { expect, it } from 'vitest';

const CONFLICTS = rounds({ few: 2, all: 10 });
/** Longer than the reconnect timeout, and than the delay before a take-over. */
const LEFT_ALONE_MS = 45_000;

const loginsOf = async (stack: Stack) => (await stack.phones.account(ADA)).logins;
const isLeft = (stack: Stack) => stack.untilStatus('main', 'disconnected');

it(`an account that is used elsewhere with the same link is left to the other user until it is restarted by hand: ${CONFLICTS} times`, async () => {
  await using stack = await Stack.start({ settings: { CHAT_WEB_RECONNECT_TIMEOUT_SECONDS: '10' } });
  await stack.link('main', ADA);
  const events = await stack.listen('main');
  let loginsUnasked = 0;

  for (let time = 1; time <= CONFLICTS; time += 1) {
    const logins = await loginsOf(stack);
    const workers = workersOf(stack.gateway.pid);
    await stack.disturb(ADA, 'conflict');
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
