import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { GatewayError } from '@chat-web/protocol';
import { inHttpChunks, pace } from '@chat-web/testing';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLog } from '../../log.ts';
import { errorResponse } from '../error-response.ts';
import type { ServerEnv } from '../server-env.ts';
import { limitedBody } from './limited-body.ts';

/** More than the socket's buffers: unread, it would reset the connection. A busy machine still discards it in time. */
const BODY_BYTES = 5_000_000;

let server: ReturnType<typeof createAdaptorServer>;
/** Where a body is read that is sent to `/reads`. */
let reading: Socket | undefined;
beforeEach(async () => {
  const { log } = createLog('silent');
  const app = new Hono<ServerEnv>();
  app.onError((error, c) => errorResponse(c, error, log));
  app.post('/', () => {
    throw new GatewayError('unauthorized', 'it is not read at all');
  });
  app.post('/reads', async (c) => {
    reading = c.env.incoming.socket;
    for await (const _ of limitedBody(c.env.incoming, { maxBytes: BODY_BYTES }));
    return c.text('read');
  });
  server = createAdaptorServer({ fetch: app.fetch });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

it('a client that sends its whole body before it reads gets the error', async () => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  const problems: string[] = [];
  socket.on('error', ({ message }) => problems.push(message));
  socket.write(`POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`);
  await new Promise((resolve) => socket.write(Buffer.alloc(BODY_BYTES), resolve));
  let answer = '';
  socket.on('data', (bytes) => {
    answer += bytes.toString();
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.resume();
  await closed;
  expect(problems).toEqual([]);
  expect(answer).toMatch(/^HTTP\/1\.1 401 .*connection: close.*"code":"unauthorized"/is);
});

it('a client that never stops sending is disconnected', async () => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  socket.write('POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n');
  const timer = setInterval(() => socket.write('1\r\nx\r\n'), 100);
  socket.resume();
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(timer);
});

it('a client that sends tiny pieces gets the error, however long they take to send', async () => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  const problems: string[] = [];
  socket.on('error', ({ message }) => problems.push(message));
  socket.write('POST /reads HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n');
  socket.write(inHttpChunks(Buffer.alloc(4_000_000), 1));
  // An answer that broke the connection would show by then.
  await pace(500);
  expect(problems).toEqual([]);
  expect(reading?.bytesRead).toBeLessThan(1_000_000);
  const [answer] = await once(socket.resume(), 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 400 .*connection: close.*too many small chunks/is);
  await new Promise((resolve) => socket.once('close', resolve));
});
