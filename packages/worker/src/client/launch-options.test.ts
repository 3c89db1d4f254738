import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyWorkerOptions } from '@chat-web/testing';
import { defaultArgs } from 'puppeteer';
import { afterAll, describe, expect, it } from 'vitest';
import { launchOptions, PUPPETEER_ARGS, PUPPETEER_FEATURES, WINDOWLESS_ARGS } from './launch-options.ts';

const sessionDir = mkdtempSync(join(tmpdir(), 'chat-web-launch-'));
afterAll(() => rmSync(sessionDir, { recursive: true }));

const KINDS = {
  headless: { headless: true },
  'headless shell': { headless: 'shell' },
  window: { headless: false },
} as const;
type Kind = keyof typeof KINDS;

function argsWith(browserArgs: string[], kind: Kind = 'headless', more: object = {}): readonly string[] {
  const options = {
    ...emptyWorkerOptions,
    ...more,
    sessionDir,
    browserPath: process.execPath,
    browserArgs,
    headlessShell: kind === 'headless shell',
    browserWindow: kind === 'window',
  };
  return launchOptions(options, {}).args;
}

const featuresIn = (flag: string, args: readonly string[]) =>
  args.filter((arg) => arg.startsWith(`--${flag}-features=`)).map((arg) => arg.split('=')[1]?.split(','));

describe('the arguments of the browser', () => {
  it.each(Object.keys(KINDS) as Kind[])('include all of puppeteer: %s', (kind) => {
    const own = defaultArgs({ ...KINDS[kind], args: ['--any'] }).filter((arg) => arg !== '--any');
    const isFeature = (arg: string) => arg.includes('-features=');
    expect(argsWith([], kind)).toEqual(expect.arrayContaining(own.filter((arg) => !isFeature(arg))));
    expect(own.filter((arg) => !isFeature(arg) && !arg.startsWith('--headless'))).toHaveLength(
      PUPPETEER_ARGS.length + (kind === 'window' ? 0 : WINDOWLESS_ARGS.length) + 1, // The first page.
    );
    expect(featuresIn('disable', own)).toEqual([PUPPETEER_FEATURES.disabled]);
    expect(featuresIn('enable', own)).toEqual([PUPPETEER_FEATURES.enabled]);
  });

  it('show a window only if requested', () => {
    const flags = (kind: Kind) => argsWith([], kind).filter((arg) => /^--(headless|disable-gpu|mute-audio)/.test(arg));
    expect(flags('window')).toEqual([]);
    expect(flags('headless')).toEqual(['--headless=new', '--mute-audio', '--disable-gpu']);
  });

  it('have the profile, the pipe and the worker, but no port', () => {
    const args = argsWith([]);
    expect(args).toContain(`--user-data-dir=${join(sessionDir, 'session')}`);
    expect(args).toContain('--remote-debugging-pipe');
    expect(args.filter((arg) => arg.startsWith('--remote-debugging-port'))).toEqual([]);
    if (process.platform === 'linux') expect(args.join()).toMatch(new RegExp(`--chat-web-owner=${process.pid}:\\d+`));
  });

  it('name the profile to the renderers of a headless shell', () => {
    const named = `--js-flags=--max-semi-space-size=1 --optimize-for-size --logfile=`;
    const flags = (kind: Kind) => argsWith([], kind).filter((arg) => arg.startsWith('--js-flags='));
    expect(flags('headless shell')).toEqual([named + encodeURIComponent(join(sessionDir, 'session'))]);
    expect(flags('headless')).toEqual([named.replace(' --logfile=', '')]);
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

  it.each([
    ['http://proxy.example:3128', '192.0.2.7', 'MAP proxy.example:3128 192.0.2.7:3128, MAP * ~NOTFOUND'],
    ['https://192.0.2.7:443', '192.0.2.7', 'MAP 192.0.2.7:443 192.0.2.7:443, MAP * ~NOTFOUND'],
    ['socks5://[2001:db8::7]:1080', '2001:db8::7', 'MAP [2001:db8::7]:1080 [2001:db8::7]:1080, MAP * ~NOTFOUND'],
  ])(
    "lead everything through the proxy %s, whatever the operator's arguments, and have no password",
    (url, address, rules) => {
      const operators = [
        '--no-proxy-server',
        '--proxy-server=direct://',
        '--proxy-bypass-list=*',
        '--proxy-pac-url=http://x/',
        '--host-resolver-rules=MAP * 127.0.0.1',
        '--host-rules=MAP * 127.0.0.1',
        '--webrtc-ip-handling-policy=default',
      ];
      const proxy = { url, address, username: 'ada', password: 'Passw0rd' };
      const args = argsWith([...operators, '--lang=de'], 'headless', { proxy });
      expect(args.filter((arg) => /^--(no-)?(proxy|host|webrtc|force-webrtc)/.test(arg))).toEqual([
        `--proxy-server=${url}`,
        '--proxy-bypass-list=<-loopback>',
        `--host-resolver-rules=${rules}`,
        '--webrtc-ip-handling-policy=disable_non_proxied_udp',
        '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
      ]);
      expect(args).toContain('--lang=de');
      expect(args.join()).not.toMatch(/ada|Passw0rd/);
      expect(argsWith(operators)).toEqual(expect.arrayContaining(operators));
    },
  );
});
