import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startSimulator } from './simulator.ts';

const program = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** Runs the program and collects its output; `stopWith` is sent once it reports that it is up. */
async function run(args: readonly string[], stopWith?: NodeJS.Signals) {
  const child = spawn(process.execPath, [program, ...args]);
  let output = '';
  const collect = (chunk: Buffer) => {
    output += chunk;
    if (stopWith && output.includes('CHAT_WEB_BROWSER_ARGS=')) child.kill(stopWith);
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const [code] = await once(child, 'close');
  return { code, output };
}

it.each(['SIGINT', 'SIGTERM'] as const)('prints its addresses, and exits cleanly on %s', async (signal) => {
  const { code, output } = await run([], signal);
  expect(code).toBe(0);
  expect(output).toContain('12025550101  Ada Marsh');
  expect(output).toMatch(/^phones +http:\/\/127\.0\.0\.1:\d+ \(open it in a browser\)/m);
  const args: unknown = JSON.parse(/CHAT_WEB_BROWSER_ARGS='(.*)'/.exec(output)?.[1] ?? '');
  const [rules, certificate] = [expect.stringMatching(/^--host-resolver-rules=/), expect.stringMatching(/-spki-list=/)];
  expect(args).toEqual([rules, certificate, expect.stringMatching(/^--ip-address-space-overrides=/)]);
});

it.each([['--colour', 'red'], ['--port', 'x'], ['--port', '70000'], ['--build', '2025-01'], ['serve']])(
  'refuses %s',
  async (...args) => {
    expect(await run(args)).toMatchObject({ code: 2, output: expect.stringContaining('usage:') });
  },
);

it('names a port that is in use', async () => {
  const simulator = await startSimulator();
  const { code, output } = await run(['--port', String(simulator.port)]);
  await simulator.close();
  expect([code, output]).toEqual([1, `port ${simulator.port} is in use; choose another one\n`]);
});

it('prints its usage', async () => {
  expect(await run(['--help'])).toMatchObject({ code: 0, output: expect.stringContaining('--control-port') });
});
