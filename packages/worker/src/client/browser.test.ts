import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freshFolder } from '@chat-web/testing/hooks';
import { describe, expect, it } from 'vitest';
import { findBrowser } from './browser.ts';

const home = freshFolder();

function install(...path: string[]): string {
  const file = join(home, ...path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 });
  return file;
}

describe('findBrowser', () => {
  it('uses the configured path first, then the environment, puppeteer and the PATH', () => {
    const onPath = install('bin', 'chromium-headless-shell');
    const env = { HOME: home, PATH: join(home, 'bin') };
    expect(findBrowser({ env })).toBe(onPath);

    install('.cache', 'puppeteer', 'chrome', 'linux-99.0.1.1', 'chrome-linux64', 'chrome');
    const newest = install('.cache', 'puppeteer', 'chrome', 'linux-131.0.2.1', 'chrome-linux64', 'chrome');
    expect(findBrowser({ env })).toBe(newest);

    const named = install('named');
    expect(findBrowser({ env: { ...env, PUPPETEER_EXECUTABLE_PATH: named } })).toBe(named);
    const configured = install('configured');
    expect(findBrowser({ configured, env: { ...env, PUPPETEER_EXECUTABLE_PATH: named } })).toBe(configured);
  });

  it('prefers chromium to chrome on the PATH', () => {
    install('a', 'google-chrome');
    const chromium = install('b', 'chromium');
    expect(findBrowser({ env: { HOME: home, PATH: `${home}/a:${home}/b` } })).toBe(chromium);
  });

  it('finds browsers of macOS that are not on the PATH', () => {
    const onMac = install('Applications', 'Google Chrome.app', 'Contents', 'MacOS', 'Google Chrome');
    const env = { HOME: home };
    expect(findBrowser({ env, platform: 'darwin' })).toBe(onMac);
    expect(() => findBrowser({ env, platform: 'linux' })).toThrow(/no browser found/);
  });

  it('rejects a configured path that cannot be run, instead of ignoring it', () => {
    install('bin', 'chromium');
    const env = { HOME: home, PATH: join(home, 'bin') };
    expect(() => findBrowser({ configured: join(home, 'missing'), env })).toThrow(/CHAT_WEB_BROWSER_PATH/);
    expect(() => findBrowser({ configured: home, env })).toThrow(/CHAT_WEB_BROWSER_PATH/);
  });

  it('says what to do if there is none', () => {
    expect(() => findBrowser({ env: { HOME: home, PATH: home } })).toThrow(/apt-get install chromium/);
  });
});
