import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultArgs } from 'puppeteer';
import { afterAll, describe, expect, it } from 'vitest';
import { emptyWorkerOptions } from '../../../../scripts/worker-options.ts';
import { launchOptions, PUPPETEER_ARGS, PUPPETEER_FEATURES } from './launch-options.ts';

const sessionDir = mkdtempSync(join(tmpdir(), 'chat-web-launch-'));
afterAll(() => rmSync(sessionDir, { recursive: true }));

function argsWith(browserArgs: string[], headlessShell = false): readonly string[] {
  const options = { ...emptyWorkerOptions, sessionDir, browserPath: process.execPath, browserArgs, headlessShell };
  return launchOptions(options, {}).args;
}

const featuresIn = (flag: string, args: readonly string[]) =>
  args.filter((arg) => arg.startsWith(`--${flag}-features=`)).map((arg) => arg.split('=')[1]?.split(','));

describe('the arguments of the browser', () => {
  it.each([false, true])('hold all that puppeteer passes, headless shell: %s', (headlessShell) => {
    const own = defaultArgs({ headless: headlessShell ? 'shell' : true, args: ['--any'] }).filter(
      (arg) => arg !== '--any',
    );
    const isFeature = (arg: string) => arg.includes('-features=');
    expect(argsWith([], headlessShell)).toEqual(expect.arrayContaining(own.filter((arg) => !isFeature(arg))));
    expect(own.filter((arg) => !isFeature(arg) && !arg.startsWith('--headless'))).toHaveLength(
      PUPPETEER_ARGS.length + 1, // The first page.
    );
    expect(featuresIn('disable', own)).toEqual([PUPPETEER_FEATURES.disabled]);
    expect(featuresIn('enable', own)).toEqual([PUPPETEER_FEATURES.enabled]);
  });

  it('name the profile, the pipe and the worker, and no port', () => {
    const args = argsWith([]);
    expect(args).toContain(`--user-data-dir=${join(sessionDir, 'session')}`);
    expect(args).toContain('--remote-debugging-pipe');
    expect(args.filter((arg) => arg.startsWith('--remote-debugging-port'))).toEqual([]);
    if (process.platform === 'linux') expect(args.join()).toMatch(new RegExp(`--chat-web-owner=${process.pid}:\\d+`));
  });

  it("merge the operator's features with our own, and end with the operator's other arguments", () => {
    const args = argsWith(['--disable-features=A,B', '--mute-audio=no', '--disable-features=C', '--user-agent=mine']);
    const [disabled, ...more] = featuresIn('disable', args);
    expect(more).toEqual([]);
    expect(disabled).toEqual(
      expect.arrayContaining([...PUPPETEER_FEATURES.disabled, 'WebUIOmniboxPopup', 'A', 'B', 'C']),
    );
    const last = (flag: string) => args.filter((arg) => arg.startsWith(flag)).at(-1);
    expect(last('--mute-audio')).toBe('--mute-audio=no');
    expect(last('--user-agent')).toBe('--user-agent=mine');
  });
});
