import type { WorkerEvent } from '@chat-web/protocol';
import { describe, expect, it, vi } from 'vitest';
import { Capabilities } from './capabilities.ts';
import { PageReport } from './page-report.ts';

function pageReport() {
  const events: Extract<WorkerEvent, { name: 'page' }>[] = [];
  const log = vi.fn();
  const capabilities = new Capabilities();
  vi.spyOn(capabilities, 'version', 'get').mockReturnValue('2.3000.1');
  const report = (event: WorkerEvent) => void (event.name === 'page' && events.push(event));
  const page = new PageReport({ report, capabilities, log });
  return { page, log, found: () => events.at(-1)?.findings.map(({ capability }) => capability) ?? [], events };
}

describe('the report on a page', () => {
  it('keeps separate findings until each is solved', () => {
    const { page, found } = pageReport();
    page.setFinding('page.version', 'another is pinned');
    page.setFinding('page.dialog', 'a dialog stays open');
    page.setFinding('page.dialog', undefined);
    expect(found()).toEqual(['page.version']);
    page.setFinding('page.version', undefined);
    expect(found()).toEqual([]);
  });

  it('reports a reason with a countdown once', () => {
    const { page, log, events } = pageReport();
    for (const seconds of [5, 4, 3]) page.setFinding('page.dialog', `a dialog stays open: again in ${seconds} s`);
    expect(log).toHaveBeenCalledTimes(1);
    expect(events).toHaveLength(1);
  });
});

it('limits are reported when they change: without invalid ones, and at most ten', () => {
  const reported: unknown[] = [];
  const report = (event: WorkerEvent) => void (event.name === 'limits' && reported.push(event.limits));
  const page = new PageReport({ report, capabilities: new Capabilities(), log: vi.fn() });
  const lock = { kind: 'time_lock', untilMs: 1_800_000_000_000 } as const;
  for (const limits of [[], [], [lock], [lock], [{ kind: 'new_chats' } as const], Array(20).fill(lock)])
    page.setLimits(limits);
  const until = '2027-01-15T08:00:00.000Z';
  expect(reported).toEqual([[], [{ kind: 'time_lock', until }], [], Array(10).fill({ kind: 'time_lock', until })]);
});
