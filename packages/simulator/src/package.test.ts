import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const name = '@chat-web/simulator';
const manifest = (path: string) =>
  JSON.parse(readFileSync(new URL(`../../../${path}/package.json`, import.meta.url), 'utf8')) as {
    readonly dependencies?: Readonly<Record<string, string>>;
    readonly devDependencies?: Readonly<Record<string, string>>;
  };

it.each(['.', 'packages/protocol', 'packages/outbound', 'packages/worker', 'packages/gateway', 'packages/host'])(
  'is no production dependency of %s',
  (path) => {
    expect(Object.keys(manifest(path).dependencies ?? {})).not.toContain(name);
  },
);

it('is available to the demo and the tests', () => {
  expect(Object.keys(manifest('.').devDependencies ?? {})).toContain(name);
});
