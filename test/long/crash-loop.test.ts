import { join } from 'node:path';
import { ADA, BEN, eventually, figure, pace, renderersIn, seconds, startsOf } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { describe, expect, it } from 'vitest';

const FAULT_MS = 60_000;
const LOOK_MS = 50;
const SEND_EVERY_MS = 1_000;
const MINUTE_MS = 60_000;
const MAX_STARTS = 6;
const MAX_RECOVERY_MS = 5 * MINUTE_MS;
/** A timer of a busy machine. */
const LATE_MS = 2_000;
/** With time for the start itself, so that a late recovery is still printed as a figure. */
const PATIENCE_MS = MAX_RECOVERY_MS + 30_000;

describe('a page that crashes at every load', () => {
  it('is retried with growing delays, affects no other session, and recovers once the fault is gone', async () => {
    // A new link whose greeting is not answered is unlinked: no page of this session would live long enough to answer.
    await using stack = await Stack.start({ simulator: { onboardingMs: 60 * MINUTE_MS } });
    await stack.link('ada', ADA);
    await stack.link('ben', BEN);
    const ben = await stack.listen('ben');
    const linkedWith = startsOf('ada', stack.gateway.log).length;
    const startsNow = () => startsOf('ada', stack.gateway.log).slice(linkedWith);

    const beganAt = Date.now();
    const fault = new AbortController();
    const crashes = crashEveryLoad(join(stack.dataDir, 'sessions', 'ada'), fault.signal);
    let sent = 0;
    let nextAttemptAt = '';
    // A busy machine needs longer for the starts before the long delay.
    while (Date.now() - beganAt < FAULT_MS || !(Date.parse(nextAttemptAt) - Date.now() > 2 * MINUTE_MS)) {
      await stack.client.sendMessage({ id: 'ben', type: 'text', to: ADA, body: `undisturbed ${++sent}` });
      await pace(SEND_EVERY_MS);
      ({ nextAttemptAt = '' } = await stack.client.getSessionStatus({ id: 'ada' }));
    }
    const starts = startsNow().length;
    fault.abort();
    const killed = await crashes;
    const healthyAt = Date.now();

    const attemptAt = Date.parse(nextAttemptAt);
    const lastStartAt = startsNow().at(-1) ?? 0;
    expect(killed).toBeGreaterThanOrEqual(starts);
    // With five minutes between attempts, at most one more falls into the first ten.
    expect(starts).toBeLessThanOrEqual(MAX_STARTS - 1);
    expect(attemptAt - lastStartAt).toBeGreaterThanOrEqual(5 * MINUTE_MS);
    expect(attemptAt + 5 * MINUTE_MS).toBeGreaterThan(beganAt + 10 * MINUTE_MS);

    await eventually(
      () => stack.client.sendMessage({ id: 'ada', type: 'text', to: BEN, body: 'recovered' }),
      PATIENCE_MS,
    );
    const recoveryMs = Date.now() - healthyAt;
    figure(
      'crash loop',
      `${starts} starts and one more attempt in 10 minutes (${killed} crashes); recovered ${seconds(recoveryMs)} after the fault; the other session sent ${sent} of ${sent}`,
    );
    // How long the start itself takes depends on the machine.
    expect(startsNow()).toHaveLength(starts + 1);
    expect((startsNow().at(-1) ?? 0) - healthyAt).toBeLessThanOrEqual(MAX_RECOVERY_MS + LATE_MS);
    expect(ben.all('disconnected')).toEqual([]);
    expect(ben.all('ready')).toEqual([]);
    expect(startsOf('ben', stack.gateway.log)).toHaveLength(1);
  });
});

/** Kills every renderer of a session as soon as there is one. Resolves with their number at the signal. */
async function crashEveryLoad(sessionDir: string, until: AbortSignal): Promise<number> {
  const killed = new Set<number>();
  while (!until.aborted) {
    for (const pid of renderersIn(sessionDir)) {
      killed.add(pid);
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has already exited.
      }
    }
    await pace(LOOK_MS);
  }
  return killed.size;
}
