import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ResponseStream } from './response-stream.ts';

const server = createServer();
let response: ServerResponse;

beforeEach(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => {
  vi.useRealTimers();
  server.closeAllConnections();
  server.close();
});

/** A client that opens a stream and never reads it. */
async function silentReader() {
  const asked = once(server, 'request');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.pause().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  [, response] = (await asked) as [unknown, ServerResponse];
  return socket;
}

/** Collects what a client reads. Returns a function that returns the text so far. */
function textOf(socket: Socket): () => string {
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

it('a stream that is cut off is closed even if its reader leaves much of it unread', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const socket = await silentReader();
  const stream = new ResponseStream(response, { showsQr: true });
  // Until the system's buffers are full, too.
  for (let n = 0; n < 10_000 && response.writableLength < 500_000; n += 1) {
    stream.write(`data: ${'x'.repeat(60_000)}\n\n`);
    await setImmediate();
  }
  expect(response.writableLength).toBeGreaterThan(100_000);
  const closed = once(response, 'close');
  stream.cutOff('the key no longer holds');
  // Without the cut it is the end of the wait for a slow reader, after 5 s.
  vi.advanceTimersByTime(1_000);
  await closed;
  socket.destroy();
});

it('a stream that is cut off ends cleanly if its reader has read all of it', async () => {
  const socket = await silentReader();
  const stream = new ResponseStream(response, { showsQr: true });
  stream.open();
  const text = textOf(socket);
  const closed = once(response, 'close');
  stream.cutOff('the key no longer holds');
  socket.resume();
  await closed;
  await expect.poll(text).toContain(': the key no longer holds\n\n');
  socket.destroy();
});

it('the events of one turn of the event loop are sent as one chunk, in order', async () => {
  const socket = await silentReader();
  const stream = new ResponseStream(response, { showsQr: true });
  stream.open();
  const text = textOf(socket);
  for (const n of [1, 2, 3]) stream.write(`data: ${n}\n\n`);
  await setImmediate();
  for (const n of [4, 5]) stream.write(`data: ${n}\n\n`);
  stream.end(': over\n\n');
  socket.resume();
  await expect.poll(text).toContain('\r\n0\r\n');
  const all = text();
  const chunks = all.slice(all.indexOf('\r\n\r\n') + 4).split(/\r?\n?[0-9a-f]+\r\n/);
  expect(chunks.filter((chunk) => chunk.includes('data:'))).toEqual([
    'data: 1\n\ndata: 2\n\ndata: 3\n\n',
    'data: 4\n\ndata: 5\n\n: over\n\n',
  ]);
  socket.destroy();
});
