import { ADA, BEN, browserAndWorkerIn, eventually, figure, withRoom } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { expect, it } from 'vitest';

/** More than one round of loading takes. */
const MESSAGES = 2_500;

it('messages received while the worker was stopped are delivered after recovery, in order and once', async () => {
  await using stack = await Stack.start();
  await stack.link('ada', ADA);
  const events = await stack.listen('ada');
  process.kill(browserAndWorkerIn(`${stack.dataDir}/sessions/ada`).worker, 'SIGSTOP');
  for (let n = 0; n < MESSAGES; n += 1) await stack.phones.send(BEN, { to: ADA, body: `message ${n}` });
  await events.until('ready');
  await eventually(() => expect(events.all('message').length).toBeGreaterThanOrEqual(MESSAGES), withRoom(30_000));
  await stack.settled();
  expect(events.all('message').map(({ body }) => body)).toEqual(
    Array.from({ length: MESSAGES }, (_, n) => `message ${n}`),
  );
  expect(events.all('gap')).toEqual([]);
  figure(
    'catch-up',
    `${MESSAGES} of ${MESSAGES} messages received while the worker was stopped delivered in order, once`,
  );
});

it('acks that rose while a session was down are delivered once after recovery', async () => {
  await using stack = await Stack.start({ simulator: { deliveryDelayMs: 2_000 } });
  await stack.link('ada', ADA);
  await stack.link('ben', BEN);
  const sent: string[] = [];
  for (const body of ['one', 'two', 'three'])
    sent.push((await stack.client.sendMessage({ id: 'ada', type: 'text', to: BEN, body })).id);
  await stack.client.stopSession({ id: 'ada' });
  await stack.phones.settled();
  await stack.phones.read(BEN, ADA);
  const events = await stack.listen('ada');
  await stack.client.startSession({ id: 'ada' });
  await events.until('ready');
  await eventually(() => expect(events.all('message_ack').map(({ id }) => id)).toEqual(sent));
  await stack.settled();
  expect(events.all('message_ack')).toEqual(sent.map((id) => ({ id, ack: 3 })));

  // The next start does not deliver them again.
  await stack.client.restartSession({ id: 'ada' });
  await stack.untilStatus('ada', 'ready');
  await stack.settled();
  expect(events.all('message_ack')).toHaveLength(sent.length);
});
