import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessId } from '@chat-web/protocol';
import {
  ADA,
  BEN,
  browsersIn,
  eventually,
  figure,
  livingOf,
  pace,
  percentile,
  processId,
  renderersIn,
  rounds,
  stillRunning,
  temporaryFolder,
  withRoom,
  workersOf,
} from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { describe, expect, it } from 'vitest';

const SESSIONS = { ada: ADA, ben: BEN };
const IDS = Object.keys(SESSIONS);
const KILLS = rounds({ few: 8, all: 100 });
/** One round in this many waits until the sessions are ready. The others kill workers during the start. */
const READY_EVERY = 4;
const MAX_BOOT_MS = 1_000;
const LOOK_EVERY_MS = 10;

/** A helper of a starting browser may have exited already. */
function idOf(pid: number): ProcessId[] {
  try {
    return [processId(pid)];
  } catch {
    return [];
  }
}

describe('no orphan browsers', () => {
  it(`a worker is killed ${KILLS} times: no process is left on its profile, and no file in a temporary folder`, async () => {
    using outerTmp = temporaryFolder();
    await using stack = await Stack.start({ settings: { TMPDIR: outerTmp.path } });
    for (const [id, number] of Object.entries(SESSIONS)) await stack.link(id, number);
    const each = <R>(work: (id: string) => Promise<R>) => Promise.all(IDS.map(work));
    const times: number[] = [];
    let starts: Promise<unknown> | undefined;
    for (let round = 0; times.length < KILLS; round += 1) {
      if (round % READY_EVERY === 0) await each((id) => stack.untilStatus(id, 'ready'));
      else await pace(Math.random() * MAX_BOOT_MS);
      const browsers = browsersIn(stack.dataDir).flatMap(idOf);
      expect(entriesOf(join(stack.dataDir, 'tmp'))).not.toEqual([]);
      const workers = workersOf(stack.gateway.pid);
      for (const pid of workers) process.kill(pid, 'SIGKILL');
      const killedAt = performance.now();
      while (livingOf(browsers).length > 0) {
        expect(performance.now() - killedAt).toBeLessThan(withRoom(1_000));
        await pace(LOOK_EVERY_MS);
      }
      times.push(...workers.map(() => performance.now() - killedAt));
      // Stops and starts by hand, so that a hundred crashes need not wait for their restarts.
      await each((id) => stack.client.stopSession({ id }));
      expect([...browsersIn(stack.dataDir), ...entriesOf(join(stack.dataDir, 'tmp'))]).toEqual([]);
      await starts;
      starts = each((id) => stack.client.startSession({ id }));
      await eventually(() => {
        for (const id of IDS) expect(browsersIn(join(stack.dataDir, 'sessions', id))).not.toEqual([]);
      });
    }
    await starts;
    expect(entriesOf(outerTmp.path)).toEqual([]);
    const [median, worst] = [0.5, 1].map((share) => Math.round(percentile(times, share)));
    figure(
      'killed worker',
      `${times.length} workers killed, browser gone after ${median} ms (median), ${worst} ms (worst); 0 left`,
    );
  });

  it('no process is left if the worker and its browser are killed while a renderer is stopped', async () => {
    await using stack = await Stack.start();
    await stack.link('main', ADA);
    const browser = browsersIn(stack.dataDir).map(processId);
    const [main] = browser;
    for (const pid of renderersIn(stack.dataDir)) process.kill(pid, 'SIGSTOP');
    for (const pid of workersOf(stack.gateway.pid)) process.kill(pid, 'SIGKILL');
    process.kill(main?.pid ?? 0, 'SIGKILL');
    const killedAt = performance.now();
    await eventually(() => expect(livingOf(browser)).toEqual([]));
    figure('killed worker', `a stopped renderer gone after ${Math.round(performance.now() - killedAt)} ms`);
    await stack.untilStatus('main', 'ready');
  });

  it('a gateway kills at boot what a killed gateway has left running, also if it starts no session', async () => {
    await using stack = await Stack.start();
    await Promise.all([stack.link('ada', ADA), stack.link('ben', BEN)]);
    const browsers = browsersIn(stack.dataDir);
    const workers = workersOf(stack.gateway.pid);
    const [dead = 0, stuck = 0] = workers;
    for (const pid of [...browsers, stuck]) process.kill(pid, 'SIGSTOP');
    for (const pid of [dead, stack.gateway.pid]) process.kill(pid, 'SIGKILL');
    const all = [...browsers, stuck].map(processId);
    await stack.gateway.exited;
    await eventually(() => expect(stillRunning([dead])).toEqual([]));
    expect(livingOf(all)).toHaveLength(all.length);

    const startedAt = performance.now();
    await stack.restartGateway({ CHAT_WEB_AUTO_START_SESSIONS: 'false' });
    await eventually(() => expect(livingOf(all)).toEqual([]));
    figure(
      'killed worker',
      `${all.length} stopped processes of 2 sessions gone ${Math.round(performance.now() - startedAt)} ms after the start of a gateway`,
    );
    await eventually(() => expect(stack.gateway.log.join('\n')).toContain('"browsers":2'));
    expect(entriesOf(join(stack.dataDir, 'tmp'))).toEqual([]);
  });
});

function entriesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' });
}
