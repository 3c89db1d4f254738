import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { canBeOthers, OTHER_USER } from '@chat-web/testing';
import { freshFolder } from '@chat-web/testing/hooks';
import { beforeEach, describe, expect, it } from 'vitest';
import { findBrowser, hasHeadlessShell } from './browser.ts';

const PROBE = import.meta.resolve('@chat-web/worker/sandbox');
const SCRIPT = `import { sandboxObstacle } from '${PROBE}';
const [browser, PATH, CHROME_DEVEL_SANDBOX] = process.argv.slice(1);
console.log(JSON.stringify(sandboxObstacle(browser, { PATH, CHROME_DEVEL_SANDBOX }) ?? 'none'));`;

const folder = freshFolder();
let browser: string;
beforeEach(() => {
  chmodSync(folder, 0o755);
  browser = join(folder, 'browser');
});

interface Probe {
  /** The command that runs the probe. */
  readonly as: readonly string[];
  /** Where it finds `unshare`; by default on the PATH. */
  readonly path?: string;
  /** A setuid helper that is named in the environment. */
  readonly helper?: string;
}

function obstacle({ as, path = process.env.PATH ?? '', helper = '' }: Probe): string {
  const command = [...as, process.execPath, '--input-type=module', '-e', SCRIPT, browser, path, helper];
  const { status, stdout, stderr } = spawnSync(command[0] ?? '', command.slice(1), { encoding: 'utf8', cwd: '/' });
  if (status !== 0) throw new Error(`${command.join(' ')}: ${status}, ${stderr}`);
  return JSON.parse(stdout) as string;
}

const otherUser = ['setpriv', `--reuid=${OTHER_USER}`, `--regid=${OTHER_USER}`, '--clear-groups'];
/** What a hardened service has, and a container with all capabilities dropped. */
const restricted = [...otherUser, '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all'];
const KINDS = ['user', 'pid', 'net'];
const inNamespace = [
  'unshare',
  '--user',
  `--map-user=${OTHER_USER}`,
  `--map-group=${OTHER_USER}`,
  '--keep-caps',
  'sh',
  '-c',
];
/** On a kernel that refuses namespaces of one kind. */
function limited(kind: string): string[] {
  const script = `echo 0 > /proc/sys/user/max_${kind}_namespaces && exec "$@"`;
  return [...inNamespace, script, 'sh'];
}
/** Without `unshare`, only the setuid helper is left. */
const NO_UNSHARE = '/nowhere';

function startsInSandbox(as: readonly string[]): boolean {
  const profile = mkdtempSync(join(folder, 'profile-'));
  chmodSync(profile, 0o777); // In a user namespace, the other user is root outside.
  const shell = findBrowser({ headlessShell: true, env: process.env });
  const args = ['--headless', '--disable-gpu', `--user-data-dir=${profile}`, '--dump-dom', 'data:text/html,started'];
  const [program = '', ...command] = [...as, shell, ...args];
  const env = { PATH: process.env.PATH, HOME: profile };
  const { stdout } = spawnSync(program, command, { encoding: 'utf8', cwd: '/', env, timeout: 60_000 });
  return stdout.includes('started');
}

const works = (() => {
  if (!canBeOthers()) return false;
  const trial = ['unshare', '--user', '--map-root-user', '--pid', '--net', '--fork', 'true'];
  return spawnSync('setpriv', [...otherUser.slice(1), ...trial]).status === 0;
})();

describe.runIf(works)("the obstacle to Chromium's sandbox", () => {
  it('is root', () => {
    expect(obstacle({ as: [] })).toBe('Chromium has none for root');
  });

  it('is none where a user may create namespaces, whatever privileges it could gain', () => {
    for (const as of [otherUser, restricted]) expect(obstacle({ as })).toBe('none');
    expect(obstacle({ as: otherUser, path: '/usr/bin' })).toBe('none'); // Without the folder of `chroot`.
  });

  it.each(KINDS)('is a kernel that refuses namespaces of one kind: %s', (kind) => {
    expect(obstacle({ as: limited(kind) })).toMatch(/^its namespaces cannot be created: unshare: unshare failed: /);
  });

  it('is a missing program to try it with', () => {
    expect(obstacle({ as: otherUser, path: NO_UNSHARE })).toMatch(/cannot be created: spawnSync unshare ENOENT$/);
  });

  it('is none with a setuid helper that can gain its capabilities', () => {
    const named = join(folder, 'named-sandbox');
    copyFileSync('/bin/true', named);
    chmodSync(named, 0o4755);
    expect(obstacle({ as: otherUser, path: NO_UNSHARE, helper: named })).toBe('none');
    const helper = join(folder, 'chrome-sandbox');
    copyFileSync('/bin/true', helper);
    chmodSync(helper, 0o4755);
    const withHelper = (as: readonly string[]) => obstacle({ as, path: NO_UNSHARE });
    expect(withHelper(otherUser)).toBe('none');
    for (const without of ['--no-new-privs', '--bounding-set=-sys_admin', '--bounding-set=-sys_chroot'])
      expect(withHelper([...otherUser, without]), without).toMatch(/ENOENT$/);
    chmodSync(helper, 0o755);
    expect(withHelper(otherUser)).toMatch(/ENOENT$/);
  });
});

describe.runIf(works && hasHeadlessShell(process.env))('Chromium', () => {
  it('starts in its sandbox exactly where nothing is in the way of it', () => {
    const unlimited = [...inNamespace, 'exec "$@"', 'sh'];
    for (const as of [otherUser, restricted, unlimited, ...KINDS.map(limited)])
      expect(startsInSandbox(as), as.join(' ')).toBe(obstacle({ as }) === 'none');
  });
});
