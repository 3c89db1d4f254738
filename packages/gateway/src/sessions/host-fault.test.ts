import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import type { FailureCause } from './failure.ts';
import { HostFault } from './host-fault.ts';
import type { StartQueue } from './start-queue.ts';

/** How long starts pause, in milliseconds, once three sessions of four have failed for this cause. */
function pauseAfter(cause: FailureCause): number | undefined {
  const pause = vi.fn<StartQueue['pause']>();
  const fault = new HostFault({ pause } as unknown as StartQueue, pino({ enabled: false }));
  for (const id of ['ada', 'ben', 'cleo']) fault.failed(id, cause, 4);
  return pause.mock.lastCall?.[0];
}

describe('many sessions that fail at once', () => {
  it('pause all starts', () => {
    expect(pauseAfter('worker_exited')).toBe(30_000);
    expect(pauseAfter('start_timeout')).toBe(30_000);
  });

  it('do not where the cause is not the host', () => {
    expect(pauseAfter('page_unsupported')).toBeUndefined();
    expect(pauseAfter('memory')).toBeUndefined();
    expect(pauseAfter('worker_misbehaved')).toBeUndefined();
  });
});
