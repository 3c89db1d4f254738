import { type AddressInfo, connect } from 'node:net';
import { GatewayError } from '@chat-web/protocol';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLog } from '../log.ts';
import { errorResponse } from './error-response.ts';
import type { ServerEnv } from './server-env.ts';

const BODY_BYTES = 20_000_000;

let server: ReturnType<typeof createAdaptorServer>;
beforeEach(async () => {
  const { log } = createLog('silent');
  const app = new Hono<ServerEnv>();
  app.onError((error, c) => errorResponse(c, error, log));
  app.post('/', () => {
    throw new GatewayError('unauthorized', 'it is not read at all');
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
