import { ownerArgument } from '@chat-web/protocol';
import { deadOwner, processId } from '@chat-web/testing';
import { describe, expect, it } from 'vitest';
import { browsersOn, profileOf, profilesBelow } from './browsers.ts';
import type { Process } from './processes.ts';

const DIR = '/data/sessions/main/session';
const own = `--user-data-dir=${DIR}`;
const HELPER = `/usr/lib/chromium/chromium --type=renderer --lang=en ${own} --field-trial-handle=3`;

/** A process with ids that no real process has. */
function fake(pid: number, parent: number, session: number, ...args: string[]): Process {
  return {
    pid: 10_000_000 + pid,
    parent: 10_000_000 + parent,
    group: 10_000_000 + session,
    session: 10_000_000 + session,
    startedAt: 1,
    args,
  };
}
const pids = (found: readonly Process[]) => found.map(({ pid }) => pid - 10_000_000).sort();

describe('the processes on a profile', () => {
  it('are ours if the worker is dead: the browser and all its processes', () => {
    const all = [
      fake(1, 0, 1, 'chromium', own, ownerArgument(deadOwner)),
      fake(2, 1, 1, 'chromium', '--type=zygote'),
      fake(3, 2, 1, 'helper without a name'),
      fake(4, 9, 1, 'only of its session'),
      fake(5, 9, 9, 'another process'),
    ];
    expect(pids(browsersOn(DIR, all).ours)).toEqual([1, 2, 3, 4]);
  });

  it('are not ours if the worker lives or none is named; nor are helpers', () => {
    for (const owner of [[ownerArgument(processId(process.pid))], []]) {
      const all = [fake(1, 0, 7, 'chromium', own, ...owner), fake(2, 1, 7, HELPER), fake(3, 0, 7, 'its shell')];
      const { ours, foreign } = browsersOn(DIR, all);
      expect(ours).toEqual([]);
      expect(pids(foreign)).toEqual([1]);
    }
  });

  it('are ours if a helper is left without its browser', () => {
    const { ours, foreign } = browsersOn(DIR, [fake(2, 1, 1, HELPER), fake(3, 0, 7, 'another process')]);
    expect(pids(ours)).toEqual([2]);
    expect(foreign).toEqual([]);
  });

  it('exclude other profiles, and processes that only mention it', () => {
    const all = [
      fake(1, 0, 1, 'chromium', `${own}2`, ownerArgument(deadOwner)),
      fake(2, 0, 2, 'sh', '-c', `chromium ${own}`),
    ];
    expect(browsersOn(DIR, all)).toEqual({ ours: [], foreign: [] });
  });
});

it('finds the profile in command lines of both kinds', () => {
  expect(profileOf(['chromium', own])).toBe(DIR);
  expect(profileOf([HELPER])).toBe(DIR);
  expect(profileOf([HELPER.replaceAll('main', 'with a blank')])).toBe('/data/sessions/with a blank/session');
  expect(profileOf(['chromium-headless-shell --type=renderer --js-flags=--a --logfile=%2Fdata%2Fmain'])).toBe(
    '/data/main',
  );
  expect(profileOf(['chromium', '--headless'])).toBeUndefined();
});

it('finds the profiles below a folder, each once', () => {
  const all = [
    fake(1, 0, 1, 'chromium', own),
    fake(2, 1, 1, HELPER),
    fake(3, 0, 3, 'chromium', '--user-data-dir=/data'),
  ];
  expect(profilesBelow('/data/sessions', all)).toEqual([DIR]);
});
