import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { builds, switchesOf } from './builds.ts';
import type { Call } from './control/call.ts';
import { calls } from './control/calls.ts';
import { lateModules, lazyComponents } from './page/lazy-modules.ts';
import { defaultSettings } from './settings.ts';

/** More fields than this have their own table in the README. */
const MAX_FIELDS = 14;

interface ObjectSchema {
  readonly entries: Readonly<Record<string, { readonly type: string }>>;
}

/** The table of the control API, as the README has it. */
function callTable(): string {
  const rows = Object.entries<Call>(calls).map(([name, { method, path, fields, does }]) => [
    `${method} \`${path.replaceAll(/:(\w+)/g, '{$1}')}\``,
    `\`${name}\``,
    fieldsOf(fields),
    does,
  ]);
  const head = ['Request', 'Client', 'Fields', 'What it does'];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function fieldsOf(schema: Call['fields']): string {
  const variants = 'options' in schema ? (schema.options as ObjectSchema[]) : [schema as object as ObjectSchema];
  const names = new Set(variants.flatMap(({ entries }) => Object.keys(entries)));
  const isRequired = (name: string) =>
    variants.every(({ entries }) => entries[name] && entries[name].type !== 'optional');
  if (names.size > MAX_FIELDS) return 'see below';
  return [...names].map((name) => `\`${name}${isRequired(name) ? '' : '?'}\``).join(', ');
}

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
