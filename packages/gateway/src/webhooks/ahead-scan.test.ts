import { expect, it } from 'vitest';
import type { Entry } from '../events/feed.ts';
import { AheadScan } from './ahead-scan.ts';

const event = (n: number, session?: string): Entry => ({ id: String(n), event: 'message', session, at: n, text: '{}' });

/** A feed that returns these events, in these batches. */
function feedOf(...batches: Entry[][]) {
  return {
    get isAtEnd() {
      return batches.length === 0;
    },
    read: () => batches.shift() ?? [],
  };
}

async function idsOf(scan: AheadScan, count: number) {
  const ids: (string | undefined)[] = [];
  for (let i = 0; i < count; i++) ids.push((await scan.next())?.id);
  return ids;
}

it('returns the first event of each session, over several batches', async () => {
  const batches = [[event(1, 'a'), event(2, 'b'), event(3, 'a')], [], [event(4, 'b'), event(5, 'c')]];
  expect(await idsOf(new AheadScan(feedOf(...batches), () => true), 4)).toEqual(['1', '2', '5', undefined]);
});

it('leaves out what is no longer ahead, at the time that it is examined', async () => {
  let reached = 1;
  const batch = [event(1, 'a'), event(2, 'b'), event(3, 'c'), event(4, 'a')];
  const scan = new AheadScan(feedOf(batch), ({ id }) => Number(id) > reached);
  expect((await scan.next())?.id).toBe('2');
  reached = 3;
  expect(await idsOf(scan, 2)).toEqual(['4', undefined]);
});

it('goes no further than a gap that concerns all sessions', async () => {
  const scan = new AheadScan(feedOf([event(1, 'a'), event(2), event(3, 'b')]), () => true);
  expect(await idsOf(scan, 3)).toEqual(['1', undefined, undefined]);
});
