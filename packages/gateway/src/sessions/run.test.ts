import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { readConfig } from '../config.ts';
import { Run } from './run.ts';
import type { SessionContext } from './session-context.ts';
import { StartQueue } from './start-queue.ts';

it('starts no worker once it has ended, at whatever moment of the preparation, and gives its slot back', async () => {
  const startQueue = new StartQueue(1);
  const log = pino({ enabled: false });
  const info = vi.spyOn(log, 'info');
  let run: Run | undefined;
  const context = {
    config: readConfig({}),
    saved: { profileOf: () => '/nowhere' },
    spool: {
      folderFor: async () => {
        await run?.end(false, 1_000);
        return '/nowhere';
      },
    },
    startQueue,
    streamCount: { open: 0 },
    log,
  } as unknown as SessionContext;
  const onCrash = vi.fn();
  run = new Run('main', context, log, { onEvent: () => {}, onCrash });
  await run.start();
  expect(info).not.toHaveBeenCalled();
  expect(onCrash).not.toHaveBeenCalled();
  await expect(startQueue.acquire(AbortSignal.timeout(100))).resolves.toBeTypeOf('function');
});
