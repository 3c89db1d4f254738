import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { deferred } from '@chat-web/protocol';
import { eventually, fixture, pace, temporaryFolder, undyingBrowsers } from '@chat-web/testing';
import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readConfig } from '../config.ts';
import { noCgroups } from '../host/cgroup.ts';
import { Run, type RunEvent } from './run.ts';
import type { SessionDependencies } from './session-dependencies.ts';
import type { RunFailure } from './session-state.ts';
import { StartQueue } from './start-queue.ts';

const start = {
  byHand: false,
  deliveredUntil: () => 0,
  withoutContent: () => [],
  openAcks: () => [],
  linkedAt: 0,
  wasMute: false,
};
const log = pino({ enabled: false });
const runs: Run[] = [];
afterEach(async () => {
  for (const run of runs.splice(0)) await run.end(false, 0);
});

function savedSessions(hasAuth: boolean) {
  return {
    has: () => hasAuth,
    dirOf: () => '/nowhere',
    profileOf: () => '/nowhere/profile',
    linkedAt: async () => undefined,
    pagesDir: '/nowhere',
  };
}

/** A run of this program, not started yet, on a host with everything that it needs. */
function runOf(program: string, overrides: Partial<Record<keyof SessionDependencies, unknown>> = {}) {
  const startQueue = new StartQueue(1, { idleShare: () => 1 });
  const dependencies = {
    config: readConfig({}),
    saved: savedSessions(false),
    lineages: { runs: async () => {} },
    workerProgram: () => program,
    cgroups: noCgroups,
    shortage: async () => undefined,
    mayRun: async () => {},
    spool: { folderFor: async () => '/nowhere', removeFolder: async () => {} },
    tmp: { folderFor: async () => '/nowhere', remove: async () => {} },
    foreignProcesses: { scanSoon: () => {} },
    startQueue,
    settings: { of: () => ({}) },
    log,
    ...overrides,
  } as unknown as SessionDependencies;
  const events: RunEvent[] = [];
  const onFailed = vi.fn<(failure: RunFailure) => void>();
  const run = new Run('main', dependencies, log, { onEvent: (event) => events.push(event), onFailed });
  runs.push(run);
  return { run, events, onFailed, startQueue };
}

it('starts no worker once it has ended, at any point of the preparation, and releases its slot', async () => {
  const workerProgram = vi.fn(() => '/nowhere');
  const { run, onFailed, startQueue } = runOf('', {
    workerProgram,
    spool: {
      folderFor: async () => {
        void run.end(false, 1_000);
        return '/nowhere';
      },
      removeFolder: async () => {},
    },
  });
  await run.start(start);
  expect(workerProgram).not.toHaveBeenCalled();
  expect(onFailed).not.toHaveBeenCalled();
  await expect(startQueue.acquire(AbortSignal.timeout(100))).resolves.toBeTypeOf('function');
});

it('starts no worker while the previous browser still runs after a kill', async () => {
  using folder = temporaryFolder();
  const profileDir = join(folder.path, 'session');
  using _browsers = undyingBrowsers(profileDir);
  const saved = { ...savedSessions(true), profileOf: () => profileDir };
  await eventually(async () => {
    const { run, onFailed } = runOf('/nowhere', { saved });
    await run.start(start);
    expect(onFailed).toHaveBeenCalledExactlyOnceWith({
      cause: { reason: 'START_REFUSED', detail: expect.stringMatching(/still runs \(process \d+\)$/) },
      retry: true,
      wasUp: false,
    });
  });
}, 60_000);

it('loses no event of a worker that reports 10,000 and exits at once, even with unread calls', async () => {
  const { run, events, onFailed } = runOf(fixture('last-words-worker.mjs'));
  const over = run.start(start);
  await vi.waitUntil(() => events.length > 0, 10_000);
  const calls = Array.from({ length: 5 }, () => run.call('sendMessage', { body: 'x'.repeat(50_000) }));
  const settled = Promise.allSettled(calls);
  await over;
  expect(events.slice(1).map((event) => (event.name === 'message_ack' ? event.id : ''))).toEqual(
    Array.from({ length: 10_000 }, (_, n) => `m${n}`),
  );
  expect((await settled).map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
  expect(onFailed.mock.calls).toEqual([
    [expect.objectContaining({ cause: { reason: 'WORKER_EXITED', detail: 'code 3' }, retry: true })],
  ]);
});

it('reports how a worker failed to start, and leaves no call pending', async () => {
  const { run, onFailed } = runOf('/nowhere/main.js');
  await run.start(start);
  expect(onFailed).toHaveBeenCalledWith({
    cause: { reason: 'WORKER_EXITED', detail: 'code 1' },
    retry: true,
    wasUp: false,
  });
  await expect(run.call('listChats', {})).rejects.toMatchObject({ code: 'session_lost' });
});

it('gives a worker one channel, and no Node IPC channel', async () => {
  const { run } = runOf(fixture('hanging-worker.mjs'));
  void run.start(start);
  await expect.poll(() => run.workerPid).toBeDefined();
  const pid = run.workerPid;
  const environment = execFileSync('cat', [`/proc/${pid}/environ`], { encoding: 'utf8' });
  expect(environment).not.toContain('NODE_CHANNEL');
});

it('starts a worker only once it is in its cgroup, since its browser starts at once', async () => {
  const { promise: entered, resolve: enter } = deferred();
  const cgroup = { enter: () => entered, limitMemory: async () => {}, killAll: async () => true };
  const { run, events } = runOf(fixture('syncing-worker.mjs'), { cgroups: { of: async () => cgroup } });
  void run.start(start);
  await expect.poll(() => run.workerPid).toBeDefined();
  // A worker that is told to start reports within this.
  await pace(500);
  expect(events).toEqual([]);
  enter();
  await vi.waitUntil(() => events.length > 0, 10_000);
  expect(events).toEqual([{ name: 'authenticating' }]);
});

describe('a start without further progress', () => {
  const config = { ...readConfig({}), startTimeoutMs: 4_000, syncTimeoutMs: 2_000 };

  it.each([
    { hasAuth: false, detail: 'the first sync made no progress for 2 s' },
    { hasAuth: true, detail: 'the start made no progress for 4 s' },
  ])('fails: $detail, if saved auth is $hasAuth', async ({ hasAuth, detail }) => {
    const { run, events, onFailed } = runOf(fixture('syncing-worker.mjs'), { config, saved: savedSessions(hasAuth) });
    void run.start(start);
    await vi.waitUntil(() => onFailed.mock.lastCall, 20_000);
    expect(events).toEqual([{ name: 'authenticating' }]);
    expect(onFailed.mock.lastCall).toEqual([{ cause: { reason: 'START_TIMEOUT', detail }, retry: true, wasUp: false }]);
  });
});
