import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { findBrowser } from '@chat-web/worker/browser';

/** Makes sure that there is a browser to run sessions in: installs Debian's where that can be done, else says how. */

const APT_INSTALL = ['install', '--yes', '--no-install-recommends', 'chromium'];

const problem = missingBrowser();
if (problem) {
  const system = linuxIds();
  const isDebian = system.includes('debian') || system.includes('ubuntu');
  if (!isDebian || process.getuid?.() !== 0)
    stop(`${problem}\nRun this, then try again:\n  ${commandFor(system, isDebian)}`);
  console.log("No browser found: installing Debian's chromium with apt-get.");
  apt(['update']);
  apt(APT_INSTALL);
  const still = missingBrowser();
  if (still) stop(`apt-get installed chromium, but: ${still}`);
}

function missingBrowser(): string | undefined {
  try {
    findBrowser({ env: process.env });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function linuxIds(): string[] {
  try {
    const lines = readFileSync('/etc/os-release', 'utf8').split('\n');
    return lines.flatMap((line) => /^ID(?:_LIKE)?="?([^"]*)"?$/.exec(line)?.[1]?.split(' ') ?? []);
  } catch {
    return [];
  }
}

function commandFor(system: readonly string[], isDebian: boolean): string {
  if (isDebian) return `sudo apt-get update && sudo apt-get ${APT_INSTALL.join(' ')}`;
  if (system.includes('fedora')) return 'sudo dnf install chromium';
  if (system.includes('arch')) return 'sudo pacman -S chromium';
  if (system.includes('alpine')) return 'sudo apk add chromium';
  return 'npx @puppeteer/browsers install chrome@stable --path ~/.cache/puppeteer';
}

function apt(args: readonly string[]): void {
  const { status } = spawnSync('apt-get', ['-qq', ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (status !== 0) stop(`apt-get ${args.join(' ')} failed; run it by hand to see why.`);
}

function stop(text: string): never {
  console.error(text);
  process.exit(1);
}
