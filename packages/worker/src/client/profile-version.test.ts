import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshFolder } from '@chat-web/testing/hooks';
import { beforeEach, describe, expect, it } from 'vitest';
import { noteVersion, requireKnownFormat } from './profile-version.ts';

const folder = freshFolder();
let profileDir: string;
let executablePath: string;
let installed = 0;
beforeEach(() => {
  profileDir = join(folder, 'profile');
  executablePath = join(folder, 'browser');
  mkdirSync(profileDir);
});

/** Installs a browser that prints this when it is asked for its version. */
function install(printed: string): void {
  writeFileSync(executablePath, `#!/bin/sh\necho run >> "$0.runs"\necho "${printed}"\n`, { mode: 0o755 });
  installed += 1;
  utimesSync(executablePath, 0, installed);
}
const opened = (version: string) => writeFileSync(join(profileDir, 'Last Version'), version);
const check = () => requireKnownFormat({ executablePath, profileDir });

describe('a profile', () => {
  it('that is new, or of a browser that left no version, is for every browser', () => {
    install('Chromium 150.0.7871.100');
    expect(check).not.toThrow();
    for (const version of ['', 'unknown', 'x'.repeat(2_000)]) {
      opened(version);
      expect(check).not.toThrow();
    }
    rmSync(join(profileDir, 'Last Version'));
    mkdirSync(join(profileDir, 'Last Version'));
    expect(check).not.toThrow();
  });

  it('is for browsers of the milestone of the last one, and of newer ones', () => {
    opened('156.0.8078.108');
    for (const printed of [
      'Chromium 156.0.8078.20 built on Debian',
      'Google Chrome 157.0.1.2',
      'Chromium 1560.0.0.0',
    ]) {
      install(printed);
      expect(check, printed).not.toThrow();
    }
  });

  it('is for no older one: the error says which one to install', () => {
    opened('156.0.8078.108\n');
    install('Chromium 99.0.4844.51');
    expect(check).toThrow(
      `the profile was last opened by browser version 156.0.8078.108, and ${executablePath} is 99.0.4844.51, which may damage it: install version 156 or newer`,
    );
  });

  it('is left to a browser that does not print its version', () => {
    opened('156.0.8078.108');
    install('unknown');
    expect(check).not.toThrow();
  });
});

describe('the version of a browser', () => {
  it('is noted for the headless shell, too', () => {
    install('Chromium 156.0.8078.108');
    noteVersion({ executablePath, profileDir }, 'HeadlessChrome/156.0.8078.108');
    expect(readFileSync(join(profileDir, 'Last Version'), 'utf8')).toBe('156.0.8078.108');
    install('Chromium 150.0.7871.100');
    expect(check).toThrow('install version 156');
  });

  it('is asked for only after another one was installed', () => {
    const runs = () => readFileSync(`${executablePath}.runs`, 'utf8').length / 'run\n'.length;
    install('Chromium 156.0.8078.108');
    opened('156.0.8078.108');
    check();
    expect(runs()).toBe(1);
    noteVersion({ executablePath, profileDir }, 'Chrome/156.0.8078.108');
    check();
    expect(runs()).toBe(1);
    install('Chromium 157.0.1.2');
    check();
    expect(runs()).toBe(2);
  });

  it('is not noted if it is none', () => {
    install('Chromium 156.0.8078.108');
    noteVersion({ executablePath, profileDir }, 'Chrome');
    expect(check).not.toThrow();
  });
});
