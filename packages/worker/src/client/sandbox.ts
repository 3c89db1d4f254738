import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { BrowserSearch } from './browser.ts';

const TIMEOUT_MS = 5_000;
const SETUID = 0o4000;
const ROOT = 0;
/** Chromium's setuid helper uses CAP_SYS_CHROOT and CAP_SYS_ADMIN: their bits in /proc/<pid>/status. */
const HELPER_CAPABILITIES = (1n << 18n) | (1n << 21n);
/** The folders of `chroot`, which the PATH of an unprivileged user lacks. */
const ADMIN_FOLDERS = ['/usr/sbin', '/sbin'];
/** Creates the namespaces of Chromium's sandbox, and changes the root directory inside: filters may refuse only that. */
const TRIAL = ['--user', '--map-root-user', '--pid', '--net', '--fork', 'chroot', '/', 'true'];

/**
 * Why Chromium's sandbox does not work for this user, as a clause; undefined if it works. It never works for root, and
 * otherwise by a setuid helper next to the browser or named by CHROME_DEVEL_SANDBOX, or by user namespaces.
 */
export function sandboxObstacle(browserPath: string, env: BrowserSearch['env']): string | undefined {
  if (process.getuid?.() === ROOT) return 'Chromium has none for root';
  if (process.platform !== 'linux') return undefined;
  if (hasSetuidHelper(browserPath, env) && allowsSetuidHelper(readFileSync('/proc/self/status', 'utf8')))
    return undefined;
  const { status, stderr, error } = spawnSync('unshare', TRIAL, {
    env: { PATH: [env.PATH ?? '', ...ADMIN_FOLDERS].join(delimiter) },
    timeout: TIMEOUT_MS,
    encoding: 'utf8',
  });
  if (status === 0) return undefined;
  return `its namespaces cannot be created: ${error?.message ?? stderr.trim().split('\n').at(-1)}`;
}

/** Whether a process with this content of /proc/<pid>/status can start a setuid helper that gets its capabilities. */
export function allowsSetuidHelper(status: string): boolean {
  const bounding = /^CapBnd:\s+([0-9a-f]+)$/m.exec(status)?.[1];
  const canGain = /^NoNewPrivs:\s+0$/m.test(status);
  return canGain && bounding !== undefined && (BigInt(`0x${bounding}`) & HELPER_CAPABILITIES) === HELPER_CAPABILITIES;
}

function hasSetuidHelper(browserPath: string, { CHROME_DEVEL_SANDBOX }: BrowserSearch['env']): boolean {
  // Debian's chromium is a wrapper script in another folder.
  const folder = browserPath === '/usr/bin/chromium' ? '/usr/lib/chromium' : dirname(browserPath);
  // Chromium uses the named one only where there is none beside it.
  const found = [join(folder, 'chrome-sandbox'), CHROME_DEVEL_SANDBOX ?? ''].find((path) => existsSync(path));
  const helper = found === undefined ? undefined : statSync(found, { throwIfNoEntry: false });
  return helper !== undefined && helper.uid === ROOT && (helper.mode & SETUID) !== 0;
}
