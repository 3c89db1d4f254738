import { ADA, BEN, eventually } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { expect, it } from 'vitest';

it('sends that the network never acknowledges cause one restart, then an entry in the status, and no loop', async () => {
  await using stack = await Stack.start();
  await stack.link('ada', ADA);
  await stack.phones.restrict(ADA, true);
  const five = async () => {
    const sends = Array.from({ length: 5 }, (_, n) =>
      stack.client.sendMessage({ id: 'ada', type: 'text', to: BEN, body: `unconfirmed ${n}` }),
    );
    for (const outcome of await Promise.allSettled(sends))
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'outcome_unknown' } });
  };
  await five();
  await eventually(async () =>
    expect(await stack.client.getSessionStatus({ id: 'ada' })).toMatchObject({ status: 'ready', restarts: 1 }),
  );
  await five();
  const onlyRestricted = [{ capability: 'sendMessage', reason: expect.stringContaining('restricted') }];
  // Until the next check of the page, `degraded` also lists modules that loaded late after the restart.
  await eventually(async () =>
    expect((await stack.client.getSessionStatus({ id: 'ada' })).degraded).toEqual(onlyRestricted),
  );
  await five();
  expect(await stack.client.getSessionStatus({ id: 'ada' })).toMatchObject({
    status: 'ready',
    restarts: 1,
    degraded: onlyRestricted,
  });
  await stack.phones.restrict(ADA, false);
  await stack.client.sendMessage({ id: 'ada', type: 'text', to: BEN, body: 'confirmed' });
  await eventually(async () => expect((await stack.client.getSessionStatus({ id: 'ada' })).degraded).toEqual([]));
});
