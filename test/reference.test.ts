import { readFileSync } from 'node:fs';
import { errorTable, operations, otherRoutes } from '@chat-web/protocol';
import { expect, it } from 'vitest';
import { referencePages } from '../scripts/reference-pages.ts';

const pages = referencePages();

it.each([...pages])('%s matches the code: npm run reference writes it', (file, text) => {
  expect(readFileSync(file, 'utf8')).toBe(text);
});

it('every route, method and error code is in a table', () => {
  const templateOf = (path: string) => path.replace(/:(\w+)/g, '{$1}').replace('/*', '');
  for (const [name, { method, path, summary }] of Object.entries(operations)) {
    const start = `| \`${name}\` | \`${method} ${templateOf(path)}\` |`;
    expect(pages.get('docs/operations.md')).toContain(`${start} ${summary} |`);
    expect(pages.get('docs/client.md')).toContain(start);
  }
  for (const { path } of Object.values(otherRoutes))
    expect(pages.get('docs/operations.md')).toContain(`| \`GET ${templateOf(path)}\` |`);
  for (const [code, { status, when }] of Object.entries(errorTable))
    expect(pages.get('docs/errors.md')).toContain(`| ${status} | \`${code}\` | ${when} |`);
});
