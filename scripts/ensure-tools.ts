import { spawnSync } from 'node:child_process';
import { constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { findBrowser } from '@chat-web/worker/browser';
import { isAllowed } from './file-access.ts';

/**
 * Makes sure that the tools named as arguments are installed: installs Debian's packages as root, otherwise prints the
 * command. Sessions run in `browser`; the tests of the service need `systemd` and `perl`.
 */

interface Tool {
  /** Why it cannot be used; undefined if it can. */
  missing(): string | undefined;
  /** Its package name in each distribution. */
  readonly debian: string;
  readonly fedora: string;
  readonly arch: string;
  readonly alpine?: string;
}

const tools: Readonly<Record<string, Tool>> = {
  browser: { missing: missingBrowser, debian: 'chromium', fedora: 'chromium', arch: 'chromium', alpine: 'chromium' },
  systemd: {
    missing: () => missingPrograms('systemd-analyze', 'systemd-sysusers', 'systemd-tmpfiles'),
    ...{ debian: 'systemd', fedora: 'systemd', arch: 'systemd' },
  },
  perl: { missing: () => missingPrograms('perl'), debian: 'perl-base', fedora: 'perl', arch: 'perl', alpine: 'perl' },
};

const wanted = process.argv.slice(2).map((name) => tools[name] ?? stop(`unknown tool: ${name}`));
const absent = wanted.filter((tool) => tool.missing());
if (absent.length > 0) {
  const system = linuxIds();
  const isDebian = system.includes('debian') || system.includes('ubuntu');
  const problems = absent.map((tool) => tool.missing()).join('\n');
  if (!isDebian || process.getuid?.() !== 0)
    stop(`${problems}\nRun this command, then try again:\n  ${commandFor(absent, system, isDebian)}`);
  const packages = absent.map(({ debian }) => debian);
  console.log(`${problems}\nInstalling with apt-get: ${packages.join(' ')}`);
  apt(['update']);
  apt(['install', '--yes', '--no-install-recommends', ...packages]);
  for (const tool of absent) {
    const still = tool.missing();
    if (still) stop(`apt-get installed ${tool.debian}, but: ${still}`);
  }
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

function apt(args: readonly string[]): void {
  const { status } = spawnSync('apt-get', ['-qq', ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (status !== 0) stop(`apt-get ${args.join(' ')} failed; run it by hand to see the cause.`);
}

function stop(text: string): never {
  console.error(text);
  process.exit(1);
}
