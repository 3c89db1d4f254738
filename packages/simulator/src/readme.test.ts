import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { builds, switchesOf } from './builds.ts';
import { lateModules, lazyComponents } from './page/lazy-modules.ts';
import { defaultSettings } from './settings.ts';
import { callTable } from './testing/call-table.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const lacking = (names: readonly string[]) => names.filter((name) => !readme.includes(`\`${name}\``));

it('names every setting, and every build with its version', () => {
  expect(lacking(Object.keys(defaultSettings))).toEqual([]);
  for (const build of builds) expect(readme).toContain(`| \`${build}\` | ${switchesOf(build).pageVersion} |`);
});

it('names late and lazy modules, and the components that load them', () => {
  const components = lazyComponents({ lazyModules: true, moreLazyModules: true });
  expect(lacking([...lateModules, ...Object.keys(components), ...Object.values(components).flat()])).toEqual([]);
});

it('has the table of the control API', () => {
  const [, table = ''] = readme.split('<!-- calls -->\n');
  expect(table.split('\n\n')[0]).toBe(callTable());
});
