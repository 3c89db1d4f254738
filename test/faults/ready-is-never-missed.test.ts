import { ADA, BEN, figure, rounds, seconds } from '@chat-web/testing';
import { type EventLog, Stack } from '@chat-web/testing/stack';
import { describe, expect, it } from 'vitest';

const ROUNDS = rounds({ few: 3, all: 25 });
const MAX_SYNC_MS = 3_000;

describe('a saved session', () => {
  it('emits ready exactly once per start, whenever its page syncs', async () => {
    await using stack = await Stack.start();
    await stack.link('ada', ADA);
    await stack.link('ben', BEN);
    const sessions = [
      { id: 'ada', events: await stack.listen('ada') },
      { id: 'ben', events: await stack.listen('ben') },
    ];
    const startedAt = Date.now();
    let missed = 0;

    for (let round = 1; round <= ROUNDS; round += 1) {
      // At 0 the page syncs before the library is injected. At a random delay it may sync during the injection.
      const syncDelayMs = round % 2 === 0 ? 0 : Math.floor(Math.random() * MAX_SYNC_MS);
      await stack.phones.configure({ syncDelayMs });
      await Promise.all(sessions.map(({ id }) => stack.client.stopSession({ id })));
      await Promise.all(sessions.map(({ id }) => stack.client.startSession({ id })));
      await Promise.all(sessions.map(({ id }) => stack.untilStatus(id, 'ready')));
      await stack.settled();
      const readyCounts = sessions.map(({ events }) => events.all('ready').length);
      missed += readyCounts.filter((count) => count !== round).length;
      expect(readyCounts, `ready events after ${round} starts, synced after ${syncDelayMs} ms`).toEqual([round, round]);
    }

    for (const { events } of sessions) expect(names(events)).toEqual(Array(ROUNDS).fill('disconnected ready'));
    const starts = ROUNDS * sessions.length;
    figure(
      'ready',
      `${starts - missed} of ${starts} starts emitted ready exactly once, in ${seconds(Date.now() - startedAt)}`,
    );
    expect(missed).toBe(0);
  });
});

/** The names of a stream's events in pairs: a stop, and the start after it. */
function names({ events }: EventLog): string[] {
  const all = events.map(({ name }) => name);
  return Array.from({ length: all.length / 2 }, (_, n) => all.slice(2 * n, 2 * n + 2).join(' '));
}
