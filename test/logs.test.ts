import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

function callsOf(folder: string, call: RegExp): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .flatMap((name) => {
      const text = readFileSync(join(ROOT, folder, name), 'utf8');
      return [...text.matchAll(call)].map((match) => match[0] + argumentsAt(text, match.index + match[0].length));
    });
}

function argumentsAt(text: string, from: number): string {
  let depth = 1;
  let at = from;
  for (; depth > 0 && at < text.length; at += 1) {
    if ('([{'.includes(text.charAt(at))) depth += 1;
    else if (')]}'.includes(text.charAt(at))) depth -= 1;
  }
  return text.slice(from, at - 1);
}

/** Log calls of the gateway: the fields first, then the event. */
const inGateway = callsOf('packages/gateway/src', /\b[lL]og(?:\.(?:debug|info|warn|error)|\[\w+\])\(/g).map((call) => ({
  event: /'([^']+)',?\s*$/.exec(call)?.[1] ?? call,
  isError: /^\w+\.error/.test(call),
}));
/** Log calls of a worker: the level, then the event, then the fields. */
const inWorker = callsOf('packages/worker/src', /\b[lL]og\((?=')/g).map((call) => ({
  event: /^\w+\('\w+', '([^']+)'/.exec(call)?.[1] ?? call,
  isError: /^\w+\('error'/.test(call),
}));

const page = readFileSync(join(ROOT, 'docs/logs.md'), 'utf8');
function listed(title: string): string[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(title)) ?? '';
  const cells = [...section.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = '']) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, event = '']) => event));
}

it('docs/logs.md lists every event of level error, by its constant name, and no other', () => {
  expect(inGateway.length).toBeGreaterThan(50);
  expect(inWorker.length).toBeGreaterThan(10);
  const errors = [...inGateway, ...inWorker].filter(({ isError }) => isError).map(({ event }) => event);
  expect(listed('Errors').toSorted()).toEqual([...new Set(errors)].sort());
});

it('docs/logs.md lists only warnings that exist', () => {
  const events = [...inGateway, ...inWorker].filter(({ isError }) => !isError).map(({ event }) => event);
  expect(listed('Warnings').length).toBeGreaterThan(10);
  for (const event of listed('Warnings')) expect(events).toContain(event);
});
