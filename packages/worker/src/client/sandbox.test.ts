import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { allowsSetuidHelper } from './sandbox.ts';

const ALL = '000001ffffffffff';

/** The lines of /proc/<pid>/status around those that count. */
const status = (noNewPrivs: string, bounding: string) =>
  `CapPrm:\t0000000000000000\nCapEff:\t${ALL}\nCapBnd:\t${bounding}\nCapAmb:\t0000000000000000\n${noNewPrivs}Seccomp:\t0\n`;

it.each([
  ['a process without restrictions', status('NoNewPrivs:\t0\n', ALL), true],
  ['one with the two capabilities alone', status('NoNewPrivs:\t0\n', '0000000000240000'), true],
  ['one with no new privileges', status('NoNewPrivs:\t1\n', ALL), false],
  ['one on a kernel that does not say so', status('', ALL), false],
  ['one without SYS_ADMIN, as in a container', status('NoNewPrivs:\t0\n', '00000000a80425fb'), false],
  ['one without SYS_CHROOT', status('NoNewPrivs:\t0\n', '000001fffffbffff'), false],
  ['one without capabilities', status('NoNewPrivs:\t0\n', '0000000000000000'), false],
  ['a broken file', 'NoNewPrivs:\t0\nCapBnd:\t\n', false],
])('%s: whether it can start the setuid helper', (_, text, allowed) => {
  expect(allowsSetuidHelper(text)).toBe(allowed);
});

it.runIf(process.platform === 'linux')('the status of this process has both lines', () => {
  expect(readFileSync('/proc/self/status', 'utf8')).toMatch(/^CapBnd:\s+[0-9a-f]{16}\nCapAmb:.*\nNoNewPrivs:\s+[01]$/m);
});
