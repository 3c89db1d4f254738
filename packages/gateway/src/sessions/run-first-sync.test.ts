import type { WorkerEvent } from '@chat-web/protocol';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readConfig } from '../config.ts';
import { noCgroups } from '../host/cgroup.ts';
import { Run, type RunListener } from './run.ts';
import type { SessionContext } from './session-context.ts';
import { StartQueue } from './start-queue.ts';
import type { WorkerListener } from './worker.ts';

/** Takes the place of the worker's process, whose events the tests make up. */
let worker: WorkerListener | undefined;
vi.mock('./worker.ts', () => ({
  Worker: class {
    readonly exited = new Promise<string>(() => {});
    readonly pid = undefined;
    constructor(_start: unknown, _log: unknown, listener: WorkerListener) {
      worker = listener;
    }
    giveUp() {}
    async stop() {}
  },
}));

const SECOND = 1_000;
const config = { ...readConfig({}), startTimeoutMs: 90 * SECOND, syncTimeoutMs: 600 * SECOND };
const log = pino({ enabled: false });
const authenticating: WorkerEvent = { name: 'authenticating' };

/** A run whose worker has been started. */
async function runOf(isSaved: boolean) {
  const context = {
    config,
    saved: {
      has: () => isSaved,
      linkedAt: async () => undefined,
      dirOf: () => '/nowhere',
      profileOf: () => '/nowhere/profile',
    },
    workerProgram: () => '/nowhere',
    cgroups: noCgroups,
    resources: { shortage: async () => undefined },
    spool: { folderFor: async () => '/nowhere' },
    tmp: { folderFor: async () => '/nowhere' },
    strangers: { look: () => {} },
    startQueue: new StartQueue({ slots: 1, spacingMs: 0 }),
    log,
  } as unknown as SessionContext;
  const onFailure = vi.fn<RunListener['onFailure']>();
  const run = new Run('main', context, log, { onEvent: () => {}, onFailure });
  worker = undefined;
  void run.start({ byHand: true, heardUntil: () => 0, linkedAt: 0, wasMute: false });
  await vi.waitUntil(() => worker);
  return { onFailure, tell: (event: WorkerEvent) => worker?.onEvent(event) };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a start that has no more progress', () => {
  it('has the time of a first sync after a link, also where no QR was shown', async () => {
    const { onFailure, tell } = await runOf(false);
    tell(authenticating);
    vi.advanceTimersByTime(599 * SECOND);
    expect(onFailure).not.toHaveBeenCalled();
    vi.advanceTimersByTime(SECOND);
    expect(onFailure).toHaveBeenCalledWith(expect.objectContaining({ cause: 'start_timeout' }));
  });

  it('has the time of a start where the session has saved auth', async () => {
    const { onFailure, tell } = await runOf(true);
    tell(authenticating);
    vi.advanceTimersByTime(90 * SECOND);
    expect(onFailure).toHaveBeenCalledWith(expect.objectContaining({ cause: 'start_timeout' }));
  });
});
