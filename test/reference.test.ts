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

it('the table of methods in docs/client.md is that of the operations: npm run reference writes it', () => {
  const documented = page.split('\n').filter((line) => /^\| `\w+` \| `(GET|POST|PUT|DELETE) /.test(line));
  expect(documented).toEqual(Object.entries<Operation>(operations).map(row));
});

it('the comparison with other gateways has what the operations and events are: npm run reference writes it', () => {
  expect(readFileSync(new URL('../docs/comparison.md', import.meta.url), 'utf8')).toBe(comparisonPage());
});

describe('the comparison', () => {
  const withRow = (row: object) => ({
    ...(writtenComparison() as object),
    sections: [{ title: 'Some', rows: [{ capability: 'some', peers: [], ...row }] }],
  });

  it('says what an operation can do in part, and why', () => {
    const row = { operations: ['sendMessage.voice'], part: 'needs ffmpeg' };
    expect(comparisonPage(withRow(row))).toContain('| some | part: `sendMessage.voice` (needs ffmpeg) |');
  });

  it.each([
    { operations: ['sendMesage'] },
    { operations: ['sendMessage.pol'] },
    { operations: ['sendMessage', 'toString'] },
    { events: ['mesage'] },
    { operations: ['sendMessage'], events: ['toString'] },
  ])('does not take a name that does not exist for a no: $operations $events', (row) => {
    expect(() => comparisonPage(withRow(row))).toThrow(/some: there is no operation or event (sendMes|mes|toString)/);
  });

  it.each([
    {},
    { oprations: ['sendMessage'] },
    { operations: ['sendMessage'], ours: 'yes' },
    { ours: 'no', part: 'x' },
  ])('has rows that say it in one way: %o', (row) => {
    expect(() => comparisonPage(withRow(row))).toThrow();
  });
});
