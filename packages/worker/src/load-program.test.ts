import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { sharedFolder } from '@chat-web/testing/hooks';
import { beforeAll, expect, it } from 'vitest';
import { cacheOf, loadProgram, readProgram } from './load-program.ts';

const folder = sharedFolder();
let path = '';

beforeAll(() => {
  path = join(folder, 'program.cjs');
  writeFileSync(path, `exports.run = () => ${JSON.stringify(process.version)};`);
});

const result = () => (loadProgram(path) as { run(): string }).run();

it('runs with its code cache, which is for this Node and this processor only', () => {
  const program = readProgram(path);
  program.run();
  writeFileSync(cacheOf(path), program.cache());
  expect(cacheOf(path)).toBe(`${path}.${process.version}-${process.arch}.cache`);
  expect(result()).toBe(process.version);
});

it('runs where the cache is damaged, of another program, or of other flags of V8', () => {
  const valid = readFileSync(cacheOf(path));
  const module = new URL('../dist/load-program.js', import.meta.url).href;
  const compile = `const { readProgram } = await import('${module}'); const program = readProgram('${path}');
    program.run(); process.stdout.write(Buffer.from(program.cache()).toString('base64'))`;
  const args = ['--no-lazy', '--max-semi-space-size=2', '--input-type=module', '-e', compile];
  const otherFlags = Buffer.from(spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout, 'base64');
  expect(otherFlags.length).toBeGreaterThan(100);
  for (const cache of [
    Buffer.alloc(0),
    Buffer.from('no cache'),
    valid.subarray(0, 40),
    Buffer.alloc(4_096),
    otherFlags,
  ]) {
    writeFileSync(cacheOf(path), cache);
    expect(result()).toBe(process.version);
  }
});

it('runs where there is no cache, and writes none', () => {
  rmSync(cacheOf(path));
  expect(result()).toBe(process.version);
  expect(readdirSync(folder)).toEqual([basename(path)]);
});
