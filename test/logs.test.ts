import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** The arguments of each call that matches, as source text. */
function callsOf(folder: string, call: RegExp): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .flatMap((name) => {
      const text = readFileSync(join(ROOT, folder, name), 'utf8');
      return [...text.matchAll(call)].map((match) => argumentsAt(text, match.index + match[0].length));
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
const inGateway = callsOf('packages/gateway/src', /\b[lL]og(?:\.(?:debug|info|warn|error)|\[\w+\])\(/g)
  .filter((written) => !written.endsWith('withoutNumbers(event)')) // The events of workers, which are listed below.
  .map((written) => /'([^']+)',?\s*$/.exec(written)?.[1] ?? written);
/** Log calls of a worker: the level, then the event, then the fields. */
const inWorker = callsOf('packages/worker/src', /\b[lL]og\((?=')/g).map(
  (written) => /^'\w+', '([^']+)'/.exec(written)?.[1] ?? written,
);

it('docs/logs.md lists every event of the log, by its constant name, and no other', () => {
  const page = readFileSync(join(ROOT, 'docs/logs.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, event]) => event);
  expect(inGateway.length).toBeGreaterThan(50);
  expect(inWorker.length).toBeGreaterThan(10);
  expect(listed.toSorted()).toEqual([...new Set([...inGateway, ...inWorker])].sort());
});
