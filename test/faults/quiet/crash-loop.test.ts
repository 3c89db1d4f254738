import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { figure, seconds } from '../../helpers/figure.ts';
import { startsOf } from '../../helpers/log-lines.ts';
import { renderersIn } from '../../helpers/processes.ts';
import { ADA, BEN, Stack } from '../../helpers/stack.ts';

const FAULT_MS = 60_000;
const LOOK_MS = 50;
const SEND_EVERY_MS = 1_000;
const MINUTE_MS = 60_000;
const MOST_STARTS = 6;
const MOST_HEALING_MS = 5 * MINUTE_MS;
/** With time for the start itself, so that a late healing is told as a figure. */
const PATIENCE_MS = MOST_HEALING_MS + 30_000;

describe('a page that crashes at every load', () => {
  it('is tried less and less, harms nobody, and heals by itself once the fault is gone', async () => {
    // A new link whose greeting nobody answers is unlinked: none of this one's pages would live long enough to.
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
    while (Date.now() - beganAt < FAULT_MS) {
      await stack.client.sendMessage({ id: 'ben', type: 'text', to: ADA, body: `undisturbed ${++sent}` });
      await delay(SEND_EVERY_MS);
    }
    const { nextAttemptAt = '' } = await stack.client.getSessionStatus({ id: 'ada' });
    const starts = startsNow().length;
    fault.abort();
    const killed = await crashes;
    const healthyAt = Date.now();

    const trialAt = Date.parse(nextAttemptAt);
    const lastStartAt = startsNow().at(-1) ?? 0;
    expect(killed).toBeGreaterThanOrEqual(starts);
    // With five minutes between one trial and the next, no more than one is left in the first ten.
    expect(starts).toBeLessThanOrEqual(MOST_STARTS - 1);
    expect(trialAt - lastStartAt).toBeGreaterThanOrEqual(5 * MINUTE_MS);
    expect(trialAt + 5 * MINUTE_MS).toBeGreaterThan(beganAt + 10 * MINUTE_MS);

    await eventually(() => stack.client.sendMessage({ id: 'ada', type: 'text', to: BEN, body: 'healed' }), PATIENCE_MS);
    const healingMs = Date.now() - healthyAt;
    figure(
      'crash loop',
      `${starts} starts and a trial in 10 minutes (${killed} crashes); healed by itself ${seconds(healingMs)} after the fault; the other session sent ${sent} of ${sent}`,
    );
    expect(startsNow()).toHaveLength(starts + 1);
    expect(healingMs).toBeLessThanOrEqual(MOST_HEALING_MS);
    expect(ben.all('disconnected')).toEqual([]);
    expect(ben.all('ready')).toEqual([]);
    expect(startsOf('ben', stack.gateway.log)).toHaveLength(1);
  });
});

/** Kills every renderer of a session as soon as there is one. Resolves with how many, once the signal has come. */
async function crashEveryLoad(sessionDir: string, until: AbortSignal): Promise<number> {
  const killed = new Set<number>();
  while (!until.aborted) {
    for (const pid of renderersIn(sessionDir)) {
      killed.add(pid);
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has just ended by itself.
      }
    }
    await delay(LOOK_MS);
  }
  return killed.size;
}
