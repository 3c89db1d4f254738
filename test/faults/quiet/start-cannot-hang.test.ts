import type { PageFault } from '@chat-web/simulator';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { figure, seconds } from '../../helpers/figure.ts';
import { startsOf } from '../../helpers/log-lines.ts';
import { browsersIn } from '../../helpers/processes.ts';
import { ADA, BEN, Stack } from '../../helpers/stack.ts';

const DEADLINE_MS = 8_000;
const GRACE_MS = 5_000;
/** Several restarts with the delays between them. */
const RECOVERED_MS = 60_000;
/** One slot: a start that hangs in it blocks all others. */
const settings = { CHAT_WEB_START_TIMEOUT_SECONDS: String(DEADLINE_MS / 1_000), CHAT_WEB_START_CONCURRENCY: '1' };

const faults: [what: string, kind: Exclude<PageFault, 'none'>][] = [
  ['whose document never ends', 'document'],
  ['one image of which never comes', 'image'],
  ['whose socket stays OPENING', 'state'],
  ['that never syncs', 'sync'],
];

describe('the start of a saved session', () => {
  it.each(faults)('on a page %s ends at its deadline, lets others start, and succeeds later', async (_what, kind) => {
    await using stack = await Stack.start({ settings });
    const { client, phones } = stack;
    for (const [id, number] of Object.entries({ ada: ADA, ben: BEN })) {
      await stack.link(id, number);
      await client.stopSession({ id });
    }
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
      expect(message).toContain(`has not moved for ${DEADLINE_MS / 1_000} s`);
      expect(browsersIn(`${stack.dataDir}/sessions/ada`)).toEqual([]);
      return Date.now() - startedAt;
    });
    await stack.untilStatus('ben', 'ready');
    const otherIsUpAfterMs = Date.now() - startedAt;
    const slotFreeAfterMs = (startsOf('ben', stack.gateway.log).at(-1) ?? Number.NaN) - startedAt;
    expect((await other).qr).toBeUndefined();

    // It is retried automatically, and waits again if the retry fails too.
    await eventually(async () => {
      const { restarts, nextAttemptAt } = await client.getSessionStatus({ id: 'ada' });
      expect(restarts).toBeGreaterThanOrEqual(1);
      expect(nextAttemptAt).toBeDefined();
    });
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
    expect(endedAfterMs).toBeLessThanOrEqual(DEADLINE_MS + GRACE_MS);
    expect(slotFreeAfterMs).toBeGreaterThanOrEqual(DEADLINE_MS);
    expect(slotFreeAfterMs).toBeLessThanOrEqual(DEADLINE_MS + GRACE_MS);
  });
});
