import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { readConfig } from '../config.ts';
import { noCgroups } from '../host/cgroup.ts';
import { Run } from './run.ts';
import type { SessionContext } from './session-context.ts';
import { StartQueue } from './start-queue.ts';

it('starts no worker once it has ended, at whatever moment of the preparation, and gives its slot back', async () => {
  const startQueue = new StartQueue({ slots: 1, spacingMs: 0 });
  const log = pino({ enabled: false });
  const info = vi.spyOn(log, 'info');
  let run: Run | undefined;
  const context = {
    config: readConfig({}),
    saved: { profileOf: () => '/nowhere/profile' },
    cgroups: noCgroups,
    resources: { shortage: async () => undefined },
    spool: {
      folderFor: async () => {
        void run?.end(false, 1_000);
        return '/nowhere';
      },
    },
    tmp: { folderFor: async () => '/nowhere', remove: async () => {} },
    strangers: { look: () => {} },
    startQueue,
    streamCount: { open: 0 },
    log,
  } as unknown as SessionContext;
  const onFailure = vi.fn();
  run = new Run('main', context, log, { onEvent: () => {}, onFailure });
  await run.start({ byHand: false, heardUntil: () => 0, linkedAt: 0, wasMute: false });
  expect(info).not.toHaveBeenCalled();
  expect(onFailure).not.toHaveBeenCalled();
  await expect(startQueue.acquire(AbortSignal.timeout(100))).resolves.toBeTypeOf('function');
});
