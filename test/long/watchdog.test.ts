import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { ADA, BEN, eventually, figure, fixture, NotifySocket, workersOf } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { expect, it } from 'vitest';

const BLOCKS_ON_SIGNAL = fixture('blocks-on-signal.mjs');
/** As many as come in a minute. */
const WATCHED_PINGS = 6;
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
  await eventually(
    () => expect(socket.times('WATCHDOG').length).toBeGreaterThanOrEqual(WATCHED_PINGS),
    WATCHED_PINGS * 15_000,
  );
  const pings = [ready, ...socket.times('WATCHDOG')];
  const longest = maxGap(pings);
  expect(longest).toBeLessThanOrEqual(15);

  const events = await stack.listen('main');
  const before = socket.times('WATCHDOG').length;
  process.kill(gateway.pid, 'SIGUSR2');
  // No ping comes while the loop is blocked.
  await delay((BLOCKED_S - 1) * 1_000);
  expect(socket.times('WATCHDOG')).toHaveLength(before);
  await eventually(() => expect(socket.times('WATCHDOG').length).toBeGreaterThan(before + 1));
  await delay(AFTERWARDS_S * 1_000);
  const times = socket.times('WATCHDOG');
  const silence = maxGap(times.slice(before - 1, before + 1));
  expect(silence).toBeGreaterThanOrEqual(30);
  expect(maxGap(times.slice(before))).toBeLessThanOrEqual(15);

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

function maxGap(times: readonly number[]): number {
  return Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? time)));
}
