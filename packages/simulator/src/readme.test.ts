import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { builds, switchesOf } from './builds.ts';
import { routes } from './control/routes.ts';
import { lateModules, lazyComponents } from './page/lazy-modules.ts';
import { defaultSettings } from './settings.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const lacking = (names: readonly string[]) => names.filter((name) => !readme.includes(`\`${name}\``));

it('names every setting, and every build with its version', () => {
  expect(lacking(Object.keys(defaultSettings))).toEqual([]);
  for (const build of builds) expect(readme).toContain(`| \`${build}\` | ${switchesOf(build).pageVersion} |`);
});

it('names what comes late, and what brings it', () => {
  expect(lacking([...lateModules, ...Object.keys(lazyComponents), ...Object.values(lazyComponents).flat()])).toEqual(
    [],
  );
});

it('names every request', () => {
  const missing = routes.filter(({ method, path }) => {
    const last = path.split('/').findLast((part) => !part.startsWith(':')) ?? '';
    return !new RegExp(`\\| (GET, )?${method}\\b.*/${last}\\b`).test(readme);
  });
  expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});
