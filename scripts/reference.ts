import { readFileSync, writeFileSync } from 'node:fs';
import { isRepeatable, type Operation, operations } from '@chat-web/protocol';
import { comparisonPage } from './comparison.ts';

/**
 * Writes the parts of the documentation that are derived from the operations: the table of methods in docs/client.md,
 * and docs/comparison.md.
 */

const ROW = /^\| `\w+` \| `(GET|POST|PUT|DELETE) /;

function referenceRows(): string[] {
  return Object.entries<Operation>(operations).map(([name, operation]) => {
    const { method, path, scope, keyed } = operation;
    const retried = isRepeatable(operation, true) ? `yes${keyed ? ', under a key' : ''}` : 'if refused';
    return `| \`${name}\` | \`${method} ${path.replace(/:(\w+)/g, '{$1}')}\` | \`${scope}\` | ${retried} |`;
  });
}

const file = 'docs/client.md';
const lines = readFileSync(file, 'utf8').split('\n');
const first = lines.findIndex((line) => ROW.test(line));
const others = lines.filter((line) => !ROW.test(line));
writeFileSync(file, [...others.slice(0, first), ...referenceRows(), ...others.slice(first)].join('\n'));
writeFileSync('docs/comparison.md', comparisonPage());
