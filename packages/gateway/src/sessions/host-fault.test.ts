import type { Reason } from '@chat-web/protocol';
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { HostFault } from './host-fault.ts';
import type { StartQueue } from './start-queue.ts';

/** How long starts pause, in milliseconds, once three sessions of four have failed for this reason. */
function pauseAfter(reason: Reason): number | undefined {
  const pause = vi.fn<StartQueue['pause']>();
  const fault = new HostFault({ pause } as unknown as StartQueue, pino({ enabled: false }));
  for (const id of ['ada', 'ben', 'cleo']) fault.failed(id, reason, 4);
  return pause.mock.lastCall?.[0];
}

describe('many sessions that fail at once', () => {
  it('pause all starts', () => {
    expect(pauseAfter('WORKER_EXITED')).toBe(30_000);
    expect(pauseAfter('START_TIMEOUT')).toBe(30_000);
  });

  it('do not pause starts if the host is not the reason', () => {
    expect(pauseAfter('PAGE_UNSUPPORTED')).toBeUndefined();
    expect(pauseAfter('MEMORY_LIMIT')).toBeUndefined();
    expect(pauseAfter('WORKER_PROTOCOL_ERROR')).toBeUndefined();
  });
});
