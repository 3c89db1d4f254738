import { readFileSync } from 'node:fs';
import { isRepeatable, type Operation, operations } from '@chat-web/protocol';
import { describe, expect, it } from 'vitest';
import { comparisonPage, writtenComparison } from '../scripts/comparison.ts';

const page = readFileSync(new URL('../docs/client.md', import.meta.url), 'utf8');

function row([name, operation]: [string, Operation]): string {
  const { method, path, scope, keyed } = operation;
  const retried = isRepeatable(operation, true) ? `yes${keyed ? ', under a key' : ''}` : 'if refused';
  return `| \`${name}\` | \`${method} ${path.replace(/:(\w+)/g, '{$1}')}\` | \`${scope}\` | ${retried} |`;
}

it('the table of methods in docs/client.md matches the operations: npm run reference writes it', () => {
  const documented = page.split('\n').filter((line) => /^\| `\w+` \| `(GET|POST|PUT|DELETE) /.test(line));
  expect(documented).toEqual(Object.entries<Operation>(operations).map(row));
});

it('the comparison with other gateways matches the operations and events: npm run reference writes it', () => {
  expect(readFileSync(new URL('../docs/comparison.md', import.meta.url), 'utf8')).toBe(comparisonPage());
});

describe('the comparison', () => {
  const withRow = (row: object) => ({
    ...(writtenComparison() as object),
    sections: [{ title: 'Some', rows: [{ capability: 'some', peers: [], ...row }] }],
  });

  it('shows partial support of an operation, with the reason', () => {
    const row = { operations: ['sendMessage.voice'], part: 'needs ffmpeg' };
    expect(comparisonPage(withRow(row))).toContain('| some | part: `sendMessage.voice` (needs ffmpeg) |');
  });

  it.each([
    { operations: ['sendMesage'] },
    { operations: ['sendMessage.pol'] },
    { operations: ['sendMessage', 'toString'] },
    { events: ['mesage'] },
    { operations: ['sendMessage'], events: ['toString'] },
  ])('refuses an unknown name instead of counting it as a no: $operations $events', (row) => {
    expect(() => comparisonPage(withRow(row))).toThrow(/some: there is no operation or event (sendMes|mes|toString)/);
  });

  it.each([
    {},
    { oprations: ['sendMessage'] },
    { operations: ['sendMessage'], ours: 'yes' },
    { ours: 'no', part: 'x' },
  ])('refuses a row that is empty, misspelt or ambiguous: %o', (row) => {
    expect(() => comparisonPage(withRow(row))).toThrow();
  });
});
