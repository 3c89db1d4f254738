import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const MODULE = new URL('../scripts/dist/command-line.js', import.meta.url).href;

/** Prints to a closed terminal, many times. */
const PRINTING = `
  import { writeSync } from 'node:fs';
  const { interruption } = await import(${JSON.stringify(MODULE)});
  const listeners = process.listenerCount('exit');
  interruption();
  for (let n = 0; n < 20; n += 1) process.stdout.emit('error', new Error('EIO'));
  writeSync(1, String(process.listenerCount('exit') - listeners));
`;

it('a command that prints much to a closed terminal prepares its exit once', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', PRINTING]);
  expect(stdout).toBe('1');
  expect(stderr).toBe('');
});
