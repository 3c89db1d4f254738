import { spawnSync } from 'node:child_process';
import { constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { postgresPrograms } from '@chat-web/testing';
import { findBrowser, hasHeadlessShell } from '@chat-web/worker/browser';
import { isAllowed } from './file-access.ts';

/**
 * Ensures that the tools named as arguments are installed; prints nothing if they are. As root on Debian or Ubuntu it
 * installs missing tools with apt-get, and prints a line for each package; elsewhere it changes nothing, prints the
 * command, and exits with 1. If an optional tool cannot be installed, it prints a line and continues.
 */

interface Tool {
  readonly purpose: string;
  /** Why it cannot be used; undefined if it can. */
  missing(): string | undefined;
  /** Its package name in each distribution. */
  readonly debian: string;
  readonly fedora?: string;
  readonly arch?: string;
  readonly alpine?: string;
  /** Not every system has it; tests that need it are skipped without it. */
  readonly isOptional?: boolean;
}

const tools: Readonly<Record<string, Tool>> = {
  browser: {
    purpose: 'sessions run in it',
    missing: missingBrowser,
    debian: 'chromium',
    fedora: 'chromium',
    arch: 'chromium',
    alpine: 'chromium',
  },
  'headless-shell': {
    purpose: 'tests start it in less time than Chromium',
    missing: () => (hasHeadlessShell(process.env) ? undefined : 'Not found: chromium-headless-shell'),
    debian: 'chromium-headless-shell',
    isOptional: true,
  },
  systemd: {
    purpose: 'tests check the systemd unit with its programs',
    missing: () => missingPrograms('systemd-analyze', 'systemd-sysusers', 'systemd-tmpfiles'),
    debian: 'systemd',
    fedora: 'systemd',
    arch: 'systemd',
  },
  perl: {
    purpose: 'helpers of the tests are written in it',
    missing: () => missingPrograms('perl'),
    debian: 'perl-base',
    fedora: 'perl',
    arch: 'perl',
    alpine: 'perl',
  },
  postgres: {
    purpose: 'tests of a cluster start a server of their own',
    missing: () => (postgresPrograms() ? undefined : 'Not found: initdb'),
    debian: 'postgresql',
    isOptional: true,
  },
  script: {
    purpose: 'a story closes a terminal',
    missing: () => missingPrograms('script'),
    debian: 'bsdutils',
    fedora: 'util-linux-script',
    arch: 'util-linux',
    alpine: 'util-linux-misc',
  },
  xvfb: {
    purpose: 'a story shows windows on a display without a screen',
    missing: () => missingPrograms('Xvfb'),
    debian: 'xvfb',
    fedora: 'xorg-x11-server-Xvfb',
    arch: 'xorg-server-xvfb',
    alpine: 'xvfb',
  },
};

const wanted = process.argv.slice(2).map((name) => tools[name] ?? stop(`unknown tool: ${name}`));
const absent = wanted.filter((tool) => tool.missing());
const needed = absent.filter(({ isOptional }) => !isOptional);
const optional = absent.filter(({ isOptional }) => isOptional);
if (absent.length > 0) {
  const system = linuxIds();
  const isDebian = system.includes('debian') || system.includes('ubuntu');
  const obstacle = whyNotHere(isDebian);
  if (obstacle && needed.length > 0) {
    const missing = needed.map((tool) => `Missing: ${tool.debian} (${tool.purpose}). ${tool.missing()}`);
    stop(`${missing.join('\n')}\n${obstacle}. Run this, then try again:\n  ${commandFor(needed, system, isDebian)}`);
  }
  for (const tool of needed) console.log(`Installing ${tool.debian} with apt-get: ${tool.purpose}`);
  const isUpdated = !obstacle && apt(['update'], needed.length > 0);
  if (needed.length > 0) install(needed, true);
  for (const tool of needed) {
    const still = tool.missing();
    if (still) stop(`apt-get installed ${tool.debian}, but: ${still}`);
  }
  for (const tool of optional) {
    if (isUpdated) {
      console.log(`Installing ${tool.debian} with apt-get: ${tool.purpose}`);
      install([tool], false);
    }
    if (tool.missing()) console.log(`Left out: ${tool.debian} (${tool.purpose}). ${tool.missing()}`);
  }
}

/** Why nothing can be installed from here; undefined where it can. */
function whyNotHere(isDebian: boolean): string | undefined {
  if (!isDebian) return 'Nothing was installed, because this is neither Debian nor Ubuntu';
  if (missingPrograms('apt-get')) return 'Nothing was installed, because there is no apt-get on the PATH';
  return process.getuid?.() === 0 ? undefined : 'Nothing was installed, because that requires root';
}

function missingBrowser(): string | undefined {
  try {
    findBrowser({ env: process.env });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function missingPrograms(...names: readonly string[]): string | undefined {
  const missing = names.filter((name) => !folders().some((folder) => isAllowed(join(folder, name), constants.X_OK)));
  return missing.length > 0 ? `Not on the PATH: ${missing.join(', ')}` : undefined;
}

function folders(): string[] {
  return (process.env.PATH ?? '').split(delimiter).filter(Boolean);
}

function linuxIds(): string[] {
  try {
    const lines = readFileSync('/etc/os-release', 'utf8').split('\n');
    return lines.flatMap((line) => /^ID(?:_LIKE)?="?([^"]*)"?$/.exec(line)?.[1]?.split(' ') ?? []);
  } catch {
    return [];
  }
}

function commandFor(absent: readonly Tool[], system: readonly string[], isDebian: boolean): string {
  const packages = (of: 'debian' | 'fedora' | 'arch' | 'alpine') => absent.flatMap((tool) => tool[of] ?? []).join(' ');
  if (isDebian) {
    return `sudo apt-get update && sudo apt-get install --yes --no-install-recommends ${packages('debian')}`;
  }
  if (system.includes('fedora')) return `sudo dnf install ${packages('fedora')}`;
  if (system.includes('arch')) return `sudo pacman -S ${packages('arch')}`;
  if (system.includes('alpine') && packages('alpine')) return `sudo apk add ${packages('alpine')}`;
  if (absent.every((tool) => tool === tools.browser)) {
    return 'npx @puppeteer/browsers install chrome@stable --path ~/.cache/puppeteer';
  }
  return `install ${packages('debian')} with your package manager; if it has no such package, run the tests on Debian`;
}

function install(all: readonly Tool[], isNeeded: boolean): void {
  apt(['install', '--yes', '--no-install-recommends', ...all.map(({ debian }) => debian)], isNeeded);
}

/** True if it succeeded. Exits with 1 if it did not, and is needed. */
function apt(args: readonly string[], isNeeded: boolean): boolean {
  const { status } = spawnSync('apt-get', ['-qq', ...args], {
    stdio: ['ignore', 'ignore', isNeeded ? 'inherit' : 'ignore'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (status !== 0 && isNeeded)
    stop(`Could not install: apt-get ${args.join(' ')} failed. Run it by hand, then try again.`);
  return status === 0;
}

function stop(text: string): never {
  console.error(text);
  process.exit(1);
}
