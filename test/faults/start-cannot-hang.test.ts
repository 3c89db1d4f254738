import type { PageFault } from '@chat-web/simulator';
import { ADA, BEN, browsersIn, eventually, figure, rounds, seconds, startsOf, withRoom } from '@chat-web/testing';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

/** A healthy start takes a second or two; on a busy machine several times as long. */
const DEADLINE_MS = 30_000;
/** A start ends within 5 s of its deadline. */
const MAX_END_MS = withRoom(DEADLINE_MS + 5_000);
/** Several restarts with the delays between them. */
const RECOVERED_MS = 180_000;
/** One slot: a start that hangs in it blocks all others. */
const settings = { CHAT_WEB_START_TIMEOUT_SECONDS: String(DEADLINE_MS / 1_000), CHAT_WEB_START_CONCURRENCY: '1' };

const faults: [what: string, kind: Exclude<PageFault, 'none'>][] = [
  ['whose document never ends', 'document'],
  ['one image of which never comes', 'image'],
  ['whose socket stays OPENING', 'state'],
  ['that never syncs', 'sync'],
];

describe('the start of a saved session', () => {
  const stack = sharedStack({ settings });
  beforeAll(async () => {
    for (const [id, number] of Object.entries({ ada: ADA, ben: BEN })) await stack.link(id, number);
  });

  it.each(rounds({ few: faults.slice(1, 2), all: faults }))(
    'on a page %s ends at its deadline, lets others start, and succeeds later',
    async (_what, kind) => {
      const { client, phones } = stack;
      for (const id of ['ada', 'ben']) await client.stopSession({ id });
      const before = await client.getSessionStatus({ id: 'ada' });
      const events = await stack.listen('ada');
      await phones.fault(ADA, kind);

      const startedAt = Date.now();
      const start = client.startSession({ id: 'ada' });
      await eventually(() => expect(browsersIn(`${stack.dataDir}/sessions/ada`)).not.toEqual([]));
      const other = client.startSession({ id: 'ben' });
      const endedAfterMs = await eventually(async () => {
        const { status, reason, message } = await client.getSessionStatus({ id: 'ada' });
        expect(status === 'starting' || status === 'disconnected').toBe(true);
        expect(reason).toBe('START_TIMEOUT');
        expect(message).toContain(`made no progress for ${DEADLINE_MS / 1_000} s`);
        expect(browsersIn(`${stack.dataDir}/sessions/ada`)).toEqual([]);
        return Date.now() - startedAt;
      }, MAX_END_MS);
      await stack.untilStatus('ben', 'ready');
      const otherIsUpAfterMs = Date.now() - startedAt;
      const slotFreeAfterMs = (startsOf('ben', stack.gateway.log).at(-1) ?? Number.NaN) - startedAt;
      expect((await other).qr).toBeUndefined();

      // It is retried automatically, and waits again if the retry fails too.
      await eventually(async () => {
        const { restarts, nextAttemptAt } = await client.getSessionStatus({ id: 'ada' });
        expect(restarts).toBeGreaterThan(before.restarts);
        expect(nextAttemptAt).toBeDefined();
      }, MAX_END_MS);
      await phones.fault(ADA, 'none');
      await stack.untilStatus('ada', 'ready', RECOVERED_MS);
      await start;
      expect(events.all('qr')).toEqual([]);
      await eventually(() => expect(events.all('ready')).toHaveLength(1)); // The event is on disk before it is published.
      expect((await client.getSessionStatus({ id: 'ben' })).restarts).toBe(0);

      figure(
        'start',
        `${kind}: ended ${seconds(endedAfterMs - DEADLINE_MS)} after the deadline, its slot taken by another session ` +
          `${seconds(slotFreeAfterMs - DEADLINE_MS)} after it, which was ready at ${seconds(otherIsUpAfterMs - DEADLINE_MS)}`,
      );
      expect(endedAfterMs).toBeGreaterThanOrEqual(DEADLINE_MS);
      expect(slotFreeAfterMs).toBeGreaterThanOrEqual(DEADLINE_MS);
      expect(slotFreeAfterMs).toBeLessThanOrEqual(MAX_END_MS);
    },
  );
});
