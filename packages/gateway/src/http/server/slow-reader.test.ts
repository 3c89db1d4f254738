import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { eventually } from '@chat-web/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SlowReaders } from './slow-reader.ts';

const LIMITS = { tickMs: 1_000, ticks: 4, bytes: 1_000_000 };
const server = createServer();
let slowReaders: SlowReaders;
let sockets: Socket[] = [];

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  slowReaders = new SlowReaders(LIMITS);
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function watched(): Promise<{ socket: Socket; response: ServerResponse }> {
  const asked = once(server, 'request');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  sockets.push(socket);
  socket.pause().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [, response] = (await asked) as [unknown, ServerResponse];
  slowReaders.watch(response);
  return { socket, response };
}

async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick += 1) {
    vi.advanceTimersByTime(LIMITS.tickMs);
    await turn();
    await turn();
  }
}

/** More than the operating system buffers. */
const LONG = Buffer.alloc(30_000_000);

it('disconnects a client that reads nothing of a long response, but not one whose open response has little to read', async () => {
  const [stalled, waiting] = [await watched(), await watched()];
  stalled.response.end(LONG);
  waiting.response.writeHead(200).write('first');
  await ticks(4);
  expect(stalled.response.destroyed).toBe(false);
  const closed = once(stalled.response, 'close');
  await ticks(1);
  await closed;
  await ticks(20);
  expect(waiting.response.closed).toBe(false);
});

it('allows a slow client that reads enough in each window', async () => {
  const { socket, response } = await watched();
  response.end(LONG);
  for (let round = 0; round < 8; round += 1) {
    await ticks(3);
    const before = response.socket?.bytesWritten ?? 0;
    socket.resume();
    // In real time: `vi.waitUntil` would advance the timers of the test.
    await eventually(() =>
      expect(response.closed || (response.socket?.bytesWritten ?? 0) > before + LIMITS.bytes).toBe(true),
    );
    socket.pause();
  }
  expect(response.destroyed && !response.writableFinished).toBe(false);
});

it('has one timer for all responses, and none without a response', async () => {
  // Not the count of timers: code of earlier files shares this process, and has timers of its own.
  const [set, clear] = [vi.spyOn(globalThis, 'setInterval'), vi.spyOn(globalThis, 'clearInterval')];
  const all: Awaited<ReturnType<typeof watched>>[] = [];
  for (let count = 0; count < 20; count += 1) all.push(await watched());
  const timers = set.mock.results.filter((_, call) => set.mock.calls[call]?.[1] === LIMITS.tickMs);
  expect(timers).toHaveLength(1);
  for (const { response, socket } of all) {
    socket.resume();
    response.end();
  }
  await Promise.all(all.map(({ response }) => response.closed || once(response, 'close')));
  await ticks(1);
  expect(clear).toHaveBeenCalledWith(timers[0]?.value);
});
