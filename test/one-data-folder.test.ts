import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { browsersIn, workersOf } from './helpers/processes.ts';
import { ADA, BEN, Stack } from './helpers/stack.ts';

const MAIN = fileURLToPath(import.meta.resolve('@chat-web/gateway/main'));

it('a second gateway on the same data folder ends at once and says why; the first goes on undisturbed', async () => {
  await using stack = await Stack.start();
  const { client, gateway, dataDir } = stack;
  await stack.link('main', ADA);
  const events = await stack.listen('main');
  const processes = [...workersOf(gateway.pid), ...browsersIn(dataDir)];

  const startedAt = performance.now();
  const second = await runGateway({ CHAT_WEB_PORT: '0', CHAT_WEB_DATA_DIR: dataDir });
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expect(second).toEqual({
    code: 1,
    stdout: '',
    stderr: `${dataDir} is in use by another gateway: end it, or set CHAT_WEB_DATA_DIR to another folder\n`,
  });

  expect([...workersOf(gateway.pid), ...browsersIn(dataDir)]).toEqual(processes);
  expect(events.events).toEqual([]);
  expect(await client.getSessionStatus({ id: 'main' })).toMatchObject({ status: 'ready', restarts: 0 });
  await client.sendMessage({ id: 'main', type: 'text', to: BEN, body: 'undisturbed' });
});

/** Runs a gateway to its end, which is its own doing. */
async function runGateway(settings: Readonly<Record<string, string>>) {
  const { PATH } = process.env;
  const child = spawn(process.execPath, [MAIN], { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH, ...settings } });
  const [[code], stdout, stderr] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}
