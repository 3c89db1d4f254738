import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { figure } from '../../helpers/figure.ts';
import { NotifySocket } from '../../helpers/notify-socket.ts';
import { workersOf } from '../../helpers/processes.ts';
import { ADA, BEN, Stack } from '../../helpers/stack.ts';

const BLOCKS_ON_SIGNAL = new URL('../../fixtures/blocks-on-signal.mjs', import.meta.url).href;
const WATCHED_S = 65;
const BLOCKED_S = 40;
/** Three times as long as it takes to treat a worker as unresponsive. */
const AFTERWARDS_S = 35;

it('the watchdog is pinged while the loop runs, and only then; sessions outlive a blocked loop', async () => {
  await using socket = await NotifySocket.open();
  await using stack = await Stack.start({
    settings: {
      NOTIFY_SOCKET: socket.path,
      WATCHDOG_USEC: '30000000',
      NODE_OPTIONS: `--import ${BLOCKS_ON_SIGNAL}`,
    },
  });
  const { client, gateway } = stack;
  await stack.link('main', ADA);
  const workers = workersOf(gateway.pid);
  expect(workers).toHaveLength(1);
  expect(environmentOf(gateway.pid)).toContain('NODE_OPTIONS');
  expect(environmentOf(workers[0] ?? 0)).not.toContain('NODE_OPTIONS');

  const [ready = 0] = await eventually(() => notEmpty(socket.times('READY')));
  await delay(WATCHED_S * 1_000);
  const pings = [ready, ...socket.times('WATCHDOG')];
  expect(pings.length).toBeGreaterThanOrEqual(WATCHED_S / 15);
  const longest = longestGap(pings);
  expect(longest).toBeLessThanOrEqual(15);

  const events = await stack.listen('main');
  const before = socket.times('WATCHDOG').length;
  process.kill(gateway.pid, 'SIGUSR2');
  await delay((BLOCKED_S - 1) * 1_000);
  expect(socket.times('WATCHDOG')).toHaveLength(before);
  await eventually(() => expect(socket.times('WATCHDOG').length).toBeGreaterThan(before + 1));
  await delay(AFTERWARDS_S * 1_000);
  const times = socket.times('WATCHDOG');
  const silence = longestGap(times.slice(before - 1, before + 1));
  expect(silence).toBeGreaterThanOrEqual(30);
  expect(longestGap(times.slice(before))).toBeLessThanOrEqual(15);

  expect(await client.getSessionStatus({ id: 'main' })).toMatchObject({ status: 'ready', restarts: 0 });
  expect(workersOf(gateway.pid)).toEqual(workers);
  expect(events.events).toEqual([]);
  await client.sendMessage({ id: 'main', type: 'text', to: BEN, body: 'awake again' });

  expect(await gateway.end()).toEqual({ code: 0, signal: null });
  expect(socket.values('READY')).toEqual(['1']);
  expect(socket.values('STOPPING')).toEqual(['1']);
  figure(
    'watchdog',
    `longest gap ${longest.toFixed(1)} s, ${silence.toFixed(1)} s without a ping while the loop was blocked, 0 sessions restarted because of it`,
  );
});

/** The names of the variables that a process was started with. */
function environmentOf(pid: number): string[] {
  const entries = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  return entries.map((entry) => entry.split('=')[0] ?? '');
}

function notEmpty(times: readonly number[]): readonly number[] {
  if (times.length === 0) throw new Error('nothing was sent yet');
  return times;
}

function longestGap(times: readonly number[]): number {
  return Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? time)));
}
