import { deferred } from '@chat-web/protocol';
import { expect, it } from 'vitest';
import { Lock } from './lock.ts';

it('runs one task at a time, in order; one whose signal has aborted meanwhile is refused, and the next runs', async () => {
  const [lock, first, revoked] = [new Lock(), deferred<void>(), new AbortController()];
  const ran: string[] = [];
  const run = (name: string, signal?: AbortSignal) => lock.run(async () => void ran.push(name), signal);
  const waiting = lock.run(() => first.promise);
  const outcomes = Promise.allSettled([
    run('without a signal'),
    run('whose caller is gone', revoked.signal),
    run('whose caller stays', new AbortController().signal),
  ]);
  expect(ran).toEqual([]);
  revoked.abort(new Error('gone'));
  first.resolve();
  await waiting;
  expect(await outcomes).toMatchObject([
    { status: 'fulfilled' },
    { reason: { message: 'gone' } },
    { status: 'fulfilled' },
  ]);
  expect(ran).toEqual(['without a signal', 'whose caller stays']);
});
