import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { processId } from '../helpers/fake-browser.ts';
import { figure } from '../helpers/figure.ts';
import { browsersIn, livingOf, renderersIn, workersOf } from '../helpers/processes.ts';
import { ADA, BEN, Stack } from '../helpers/stack.ts';

const ROUNDS = 100;
const LOOK_EVERY_MS = 10;

describe('promise 2: no orphan browsers', () => {
  it('a worker is killed 100 times: nothing is left on its profile, and nothing in a temporary folder', async () => {
    const outerTmp = await mkdtemp(join(tmpdir(), 'chat-web-outer-'));
    await using stack = await Stack.start({ settings: { TMPDIR: outerTmp } });
    await stack.link('main', ADA);
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const browser = browsersIn(stack.dataDir).map(processId);
      const temporary = entriesOf(join(stack.dataDir, 'tmp'));
      expect(browser.length).toBeGreaterThan(3);
      expect(temporary).not.toEqual([]);
      for (const pid of workersOf(stack.gateway.pid)) process.kill(pid, 'SIGKILL');
      const killedAt = performance.now();
      while (livingOf(browser).length > 0) {
        expect(performance.now() - killedAt).toBeLessThan(1_000);
        await delay(LOOK_EVERY_MS);
      }
      times.push(performance.now() - killedAt);
      // By hand, so that a hundred crashes need not wait for their restarts.
      await stack.client.stopSession({ id: 'main' });
      expect([...browsersIn(stack.dataDir), ...entriesOf(join(stack.dataDir, 'tmp'))]).toEqual([]);
      await stack.client.startSession({ id: 'main' });
      await stack.untilStatus('main', 'ready');
    }
    expect(entriesOf(outerTmp)).toEqual([]);
    await rm(outerTmp, { recursive: true });
    const sorted = times.sort((a, b) => a - b).map(Math.round);
    figure(
      2,
      `${ROUNDS} workers killed, browser gone after ${sorted[ROUNDS / 2]} ms (median), ${sorted.at(-1)} ms (worst); 0 left`,
    );
  });

  it('nothing is left where the worker and its browser are killed, and a renderer is stopped', async () => {
    await using stack = await Stack.start();
    await stack.link('main', ADA);
    const browser = browsersIn(stack.dataDir).map(processId);
    const [main] = browser;
    for (const pid of renderersIn(stack.dataDir)) process.kill(pid, 'SIGSTOP');
    for (const pid of workersOf(stack.gateway.pid)) process.kill(pid, 'SIGKILL');
    process.kill(main?.pid ?? 0, 'SIGKILL');
    const killedAt = performance.now();
    await eventually(() => expect(livingOf(browser)).toEqual([]), 3_000);
    figure(2, `a stopped renderer gone after ${Math.round(performance.now() - killedAt)} ms`);
    await stack.untilStatus('main', 'ready');
  });

  it('a gateway ends at boot what one that was killed has left, also when it starts no session', async () => {
    await using stack = await Stack.start();
    await Promise.all([stack.link('ada', ADA), stack.link('ben', BEN)]);
    const browsers = browsersIn(stack.dataDir);
    const workers = workersOf(stack.gateway.pid);
    const [dead = 0, stuck = 0] = workers;
    for (const pid of [...browsers, stuck]) process.kill(pid, 'SIGSTOP');
    for (const pid of [dead, stack.gateway.pid]) process.kill(pid, 'SIGKILL');
    const all = [...browsers, stuck].map(processId);
    await stack.gateway.exited;
    await delay(500);
    expect(livingOf(all)).toHaveLength(all.length);

    const startedAt = performance.now();
    await stack.restartGateway({ CHAT_WEB_AUTO_START_SESSIONS: 'false' });
    await eventually(() => expect(livingOf(all)).toEqual([]), 3_000);
    figure(
      2,
      `${all.length} stopped processes of 2 sessions gone ${Math.round(performance.now() - startedAt)} ms after the start of a gateway`,
    );
    await eventually(() => expect(stack.gateway.log.join('\n')).toContain('"browsers":2'));
    expect(entriesOf(join(stack.dataDir, 'tmp'))).toEqual([]);
  });
});

function entriesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' });
}
