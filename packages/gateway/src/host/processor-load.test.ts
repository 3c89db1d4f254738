import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshFolder } from '@chat-web/testing/hooks';
import { expect, it } from 'vitest';
import { ProcessorLoad } from './processor-load.ts';

const dir = freshFolder();

it('is the time spent idle, or waiting for a disk, since the last call', () => {
  const path = join(dir, 'stat');
  const write = (ticks: string) => writeFileSync(path, `cpu  ${ticks} 7 7\ncpu0 1 1 1 1\n`);
  write('100 0 100 800 0 0 0 0');
  const load = new ProcessorLoad(path);
  expect(load.idleShare()).toBe(1); // There is nothing to compare it with.
  write('160 0 100 820 20 0 0 0');
  expect(load.idleShare()).toBe(0.4);
  expect(load.idleShare()).toBe(1);
  write('260 0 100 820 20 0 0 0');
  expect(load.idleShare()).toBe(0);
});

it('is 1 if nothing is known', () => {
  const load = new ProcessorLoad(join(dir, 'none'));
  expect([load.idleShare(), load.idleShare()]).toEqual([1, 1]);
});

it.runIf(process.platform === 'linux')('falls while this machine is busy', () => {
  const load = new ProcessorLoad();
  load.idleShare();
  const until = performance.now() + 300;
  while (performance.now() < until);
  expect(load.idleShare()).toBeLessThan(1);
});
