import { deferred } from '@chat-web/protocol';
import { expect, it } from 'vitest';
import { type Caller, createRevocation, operator, revoke } from './access/caller.ts';
import { allHandlers } from './gateway-handlers.ts';
import { KnownPeople } from './sends/known-people.ts';
import { Pacing } from './sends/pacing.ts';

/** The handlers of a gateway whose disk takes as long as `disk`, and the names of what its workers get. */
function handlersOn(disk: Promise<void>) {
  const forwarded: string[] = [];
  const supervisor = { call: async (name: string) => void forwarded.push(name), refusalOf: () => undefined };
  const limits = { maxSendsPerSecond: 0, maxNewChatsPerDay: 10 };
  const pacing = new Pacing({
    limits,
    people: new KnownPeople(),
    journal: { append: () => disk },
    sessions: supervisor,
  });
  const handlers = allHandlers({ supervisor, pacing } as unknown as Parameters<typeof allHandlers>[0]);
  return { forwarded, send: (caller: Caller) => handlers.sendMessage({ id: 'main', to: '12025550102@c.us' }, caller) };
}

it('a send that waits for the disk is not forwarded if its key is deleted meanwhile', async () => {
  const [disk, revocation] = [deferred<void>(), createRevocation()];
  const { forwarded, send } = handlersOn(disk.promise);
  const outcomes = Promise.allSettled([
    send(operator('token', revocation.signal)),
    send(operator('token', createRevocation().signal)),
  ]);
  revoke(revocation);
  disk.resolve();
  expect(await outcomes).toMatchObject([{ reason: { kind: 'expired_key' } }, { status: 'fulfilled' }]);
  expect(forwarded).toEqual(['sendMessage']);
});
