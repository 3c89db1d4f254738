import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { eventually } from '@chat-web/testing';
import { itInAllRounds } from '@chat-web/testing/hooks';
import { expect, it } from 'vitest';

const main = fileURLToPath(new URL('../../scripts/dist/demo.js', import.meta.url));

/** The demo and its lines so far. */
function start(...args: string[]) {
  const child = spawn(process.execPath, [main, '--port', '0', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const said = (pattern: RegExp) =>
    eventually(() => {
      const [found] = lines.flatMap((line) => pattern.exec(line) ?? []).slice(1);
      if (found === undefined) throw new Error(`no line matches ${pattern}: ${lines.join('\n')}`);
      return found;
    });
  return { child, lines, said, exited: once(child, 'exit') };
}

it('begins with the addresses of both pages, and passes every step', async () => {
  const { lines, exited } = start('--once');
  expect(await exited).toEqual([0, null]);
  expect(lines.slice(0, 3)).toEqual([
    'Open both pages in a browser, and play both sides:',
    expect.stringMatching(/^console +http:\/\/127\.0\.0\.1:\d+\/console +token [0-9a-f]{16}$/),
    expect.stringMatching(/^phones +http:\/\/127\.0\.0\.1:\d+\/$/),
  ]);
  expect(lines).toContain('Every step passed.');
});

itInAllRounds('continues with a session that can be linked on the page of the phones', async () => {
  const { child, said, exited } = start();
  try {
    const phones = await said(/^phones +(http:\S+)$/);
    await said(/^ +phones +(http:\S+)$/);
    expect(await (await fetch(phones)).text()).toContain('<script type="module" src="/phones.js">');
    const [waiting] = await eventually(async () => {
      const pages = (await (await fetch(new URL('pages', phones))).json()) as { readonly qr?: string }[];
      const waiting = pages.filter(({ qr }) => qr);
      expect(waiting).toHaveLength(1);
      return waiting;
    });
    // As the page does.
    const init = {
      method: 'POST',
      headers: { origin: new URL(phones).origin },
      body: JSON.stringify({ qr: waiting?.qr }),
    };
    expect((await fetch(new URL('accounts/12025550103/scan', phones), init)).status).toBe(200);
  } finally {
    child.kill('SIGINT');
    expect(await exited).toEqual([0, null]);
  }
});
