import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canBeOthers, OTHER_USER } from '@chat-web/testing';
import { freshFolder } from '@chat-web/testing/hooks';
import { beforeEach, describe, expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../scripts/dist/ensure-tools.js', import.meta.url));
const PROGRAMS = ['systemd-analyze', 'systemd-sysusers', 'systemd-tmpfiles', 'perl'];
const isRootOnDebian =
  process.getuid?.() === 0 &&
  /^ID(_LIKE)?=.*(debian|ubuntu)/m.test(await readFile('/etc/os-release', 'utf8').catch(() => ''));

const folder = freshFolder();
beforeEach(async () => {
  await mkdir(join(folder, 'bin'));
  await chmod(folder, 0o755);
});

async function putProgram(name: string, script = ''): Promise<void> {
  await writeFile(join(folder, 'bin', name), `#!/bin/sh\n${script}`, { mode: 0o755 });
}

/** An apt-get that records its arguments, and puts programs in place. */
function putApt(installed: readonly string[], status = 0): Promise<void> {
  const install = installed.map(
    (name) => `printf x > ${join(folder, 'bin', name)}; /bin/chmod 755 ${join(folder, 'bin', name)}`,
  );
  return putProgram('apt-get', `echo "$@" >> ${join(folder, 'asked')}\n${install.join('\n')}\nexit ${status}`);
}

const asked = () => readFile(join(folder, 'asked'), 'utf8').catch(() => '');

function ensure(names: readonly string[], user?: number) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...names], {
    env: { PATH: join(folder, 'bin') },
    cwd: '/',
    encoding: 'utf8',
    ...(user === undefined ? {} : { uid: user, gid: user }),
  });
  return { status, stdout, stderr };
}

describe('the tools for the tests', () => {
  it('print nothing where all are installed', async () => {
    for (const name of PROGRAMS) await putProgram(name);
    await putApt([]);
    expect(ensure(['systemd', 'perl'])).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(await asked()).toBe('');
  });

  it.runIf(isRootOnDebian)('are installed by root on Debian, with a line for each that gives the reason', async () => {
    await putApt(PROGRAMS);
    expect(ensure(['systemd', 'perl'])).toEqual({
      status: 0,
      stdout:
        'Installing systemd with apt-get: tests check the systemd unit with its programs\n' +
        'Installing perl-base with apt-get: helpers of the tests are written in it\n',
      stderr: '',
    });
    expect(await asked()).toBe('-qq update\n-qq install --yes --no-install-recommends systemd perl-base\n');
  });

  it.runIf(isRootOnDebian)('are installed only where they are missing', async () => {
    await putProgram('perl');
    await putApt(PROGRAMS);
    expect(ensure(['systemd', 'perl']).stdout).toBe(
      'Installing systemd with apt-get: tests check the systemd unit with its programs\n',
    );
    expect(await asked()).toMatch(/recommends systemd\n$/);
  });

  it.runIf(isRootOnDebian)('that cannot be installed are an error, with what failed and what to do', async () => {
    await putApt([], 100);
    expect(ensure(['perl'])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/apt-get update failed.*by hand/),
    });
    await putApt([]);
    expect(ensure(['perl'])).toMatchObject({ status: 1, stderr: expect.stringContaining('Not on the PATH: perl') });
  });

  it.runIf(isRootOnDebian)('are not installed without apt-get, and the reason is printed', async () => {
    expect(ensure(['perl'])).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^Missing: perl-base \(.*no apt-get on the PATH.*try again:\n {2}sudo apt-get update/s,
      ),
    });
  });

  it.runIf(isRootOnDebian && canBeOthers())('are not installed by another user, who gets the command', async () => {
    await putApt(PROGRAMS);
    expect(ensure(['systemd', 'perl'], OTHER_USER)).toEqual({
      status: 1,
      stdout: '',
      stderr: [
        'Missing: systemd (tests check the systemd unit with its programs). Not on the PATH: systemd-analyze, systemd-sysusers, systemd-tmpfiles',
        'Missing: perl-base (helpers of the tests are written in it). Not on the PATH: perl',
        'Nothing was installed, because that requires root. Run this, then try again:',
        '  sudo apt-get update && sudo apt-get install --yes --no-install-recommends systemd perl-base\n',
      ].join('\n'),
    });
    expect(await asked()).toBe('');
  });

  it.runIf(isRootOnDebian)('that are optional are installed, too, or reported in one line', async () => {
    await putApt(['chromium-headless-shell']);
    expect(ensure(['headless-shell'])).toEqual({
      status: 0,
      stdout: 'Installing chromium-headless-shell with apt-get: tests start it in less time than Chromium\n',
      stderr: '',
    });
    expect(await asked()).toMatch(/recommends chromium-headless-shell\n$/);
    expect(ensure(['headless-shell'])).toEqual({ status: 0, stdout: '', stderr: '' });

    await rm(join(folder, 'bin', 'chromium-headless-shell'));
    await putApt([]);
    const leftOut =
      'Left out: chromium-headless-shell (tests start it in less time than Chromium). Not found: chromium-headless-shell\n';
    expect(ensure(['headless-shell'])).toMatchObject({ status: 0, stdout: expect.stringContaining(leftOut) });
    await putApt([], 100);
    expect(ensure(['headless-shell'])).toEqual({ status: 0, stdout: leftOut, stderr: '' });
    await rm(join(folder, 'bin', 'apt-get'));
    expect(ensure(['headless-shell'])).toEqual({ status: 0, stdout: leftOut, stderr: '' });
  });
});
