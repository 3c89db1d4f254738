import { createServer, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { eventually, listening } from '@chat-web/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { closeLongestIdle } from './idle-connections.ts';

const MAX = 20;
const CROWDED = 18;

let server: Server;
let port: number;
let sockets: Socket[];
beforeEach(async () => {
  sockets = [];
  server = createServer(({ url }, response) => {
    if (url === '/hang') response.writeHead(200).flushHeaders();
    else response.end('ok');
  });
  server.maxConnections = MAX;
  closeLongestIdle(server);
  port = await listening(server);
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

/** A connection whose first response has arrived. */
async function connection(path: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  sockets.push(socket);
  await ask(socket, path);
  return socket;
}

function ask(socket: Socket, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('data', () => resolve());
    socket.once('close', () => reject(new Error('closed before an answer')));
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  });
}

it('the longest idle connections give way, one for each new one, and every request is answered', async () => {
  const first = await connection('/');
  const second = await connection('/');
  while (sockets.length < CROWDED) await connection('/');
  expect(sockets.filter(({ closed }) => closed)).toEqual([]);
  await ask(first, '/'); // Now the second one is idle longest.
  await connection('/');
  await eventually(() => expect(second.closed).toBe(true));
  expect(sockets.filter(({ closed }) => closed)).toEqual([second]);
  for (let more = 0; more < 3 * MAX; more += 1) await connection('/');
  await eventually(() => expect(sockets.filter(({ closed }) => !closed)).toHaveLength(CROWDED));
});

it('connections with a response in progress do not give way', async () => {
  const busy = [];
  for (let count = 0; count < CROWDED; count += 1) busy.push(await connection('/hang'));
  const idle = await connection('/');
  await connection('/');
  await eventually(() => expect(idle.closed).toBe(true));
  expect(busy.filter(({ closed }) => closed)).toEqual([]);
});
