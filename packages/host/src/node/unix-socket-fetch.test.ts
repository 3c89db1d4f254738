import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ask } from '../transport.ts';
import { gatewayAddress } from './unix-socket-fetch.ts';

let dir: string;
let server: Server;
let listener: RequestListener;
const sockets = new Set<Socket>();

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'chat-web-socket-'));
  server = createServer((request, response) => listener(request, response));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(join(dir, 's'), resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(dir, { recursive: true });
});

const address = () => gatewayAddress({ url: `unix:${join(dir, 's')}`, token: 'sesame' });
const post = (body: ReadableStream<Uint8Array>, signal = new AbortController().signal) =>
  ask(address(), '/x?a=b', { method: 'POST', body, signal });

it('sends a stream, with the token, and reads the response', async () => {
  listener = async (request, response) => {
    response.end(`${request.url} ${request.headers.authorization} ${await text(request)}`);
  };
  const body = new Blob(['hello']).stream();
  expect(await (await post(body)).text()).toBe('/x?a=b Bearer sesame hello');
});

it('leaves no connection open if the body fails', async () => {
  listener = (request) => request.resume();
  const body = () =>
    new ReadableStream<Uint8Array>({
      start: (out) => out.enqueue(new Uint8Array(10)),
      pull: (out) => out.error(new Error('the file is gone')),
    });
  for (let times = 0; times < 5; times += 1) await expect(post(body())).rejects.toThrow(TypeError);
  await expect.poll(() => sockets.size).toBe(0);
});

it('ends the body if the caller aborts', async () => {
  let reason: unknown;
  listener = (request) => request.resume();
  const body = new ReadableStream<Uint8Array>({
    start: (out) => out.enqueue(new Uint8Array(10)),
    cancel: (why) => {
      reason = why ?? 'ended';
    },
  });
  const over = new AbortController();
  const posted = post(body, over.signal);
  setTimeout(() => over.abort(new Error('enough')), 100);
  await expect(posted).rejects.toThrow('enough');
  await expect.poll(() => reason).toBeDefined();
  await expect.poll(() => sockets.size).toBe(0);
});
