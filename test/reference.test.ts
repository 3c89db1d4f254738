import { readFileSync } from 'node:fs';
import { isRepeatable, type Operation, operations } from '@chat-web/protocol';
import { expect, it } from 'vitest';
import { comparisonPage } from '../scripts/comparison.ts';

const page = readFileSync(new URL('../docs/client.md', import.meta.url), 'utf8');

function row([name, operation]: [string, Operation]): string {
  const { method, path, scope, keyed } = operation;
  const retried = isRepeatable(operation, true) ? `yes${keyed ? ', under a key' : ''}` : 'if refused';
  return `| \`${name}\` | \`${method} ${path.replace(/:(\w+)/g, '{$1}')}\` | \`${scope}\` | ${retried} |`;
}

it('the table of methods in docs/client.md is that of the operations: npm run reference writes it', () => {
  const documented = page.split('\n').filter((line) => /^\| `\w+` \| `(GET|POST|PUT|DELETE) /.test(line));
  expect(documented).toEqual(Object.entries<Operation>(operations).map(row));
});

it('the comparison with other gateways has what the operations and events are: npm run reference writes it', () => {
  expect(readFileSync(new URL('../docs/comparison.md', import.meta.url), 'utf8')).toBe(comparisonPage());
});
