import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { eventually, figure, rawRequest, seconds } from '@chat-web/testing';
import { sharedGateway } from '@chat-web/testing/story';
import { expect, it } from 'vitest';

const gateway = sharedGateway();
const small = sharedGateway({ settings: { CHAT_WEB_MAX_CONNECTIONS: '60', CHAT_WEB_KEEP_ALIVE_SECONDS: '600' } });
const brief = sharedGateway({ settings: { CHAT_WEB_KEEP_ALIVE_SECONDS: '2' } });

it('a thousand idle connections are closed, and block no other requests', async () => {
  const { hostname, port } = new URL(gateway.url);
  const startedAt = Date.now();
  const idle = Array.from({ length: 1_000 }, () =>
    createConnection(Number(port), hostname)
      .on('error', () => {})
      .resume(),
  );
  try {
    await eventually(() => expect(idle.every(({ connecting }) => !connecting)).toBe(true));
    expect((await rawRequest(gateway.url, { path: '/health' })).status).toBe(200);
    // The kernel completes some of them later: they do not fit into its queue at once.
    await eventually(async () => {
      const { text } = await rawRequest(gateway.url, { path: '/metrics' });
      expect(Number(/^chat_web_connections_open (\d+)$/m.exec(text)?.[1])).toBeGreaterThanOrEqual(1_000);
    });
    // A connection that sends no head for 10 s is closed.
    await eventually(() => expect(idle.every(({ closed }) => closed)).toBe(true));
    figure(
      'idle connections',
      `1,000 idle connections: /health answered, all closed after ${seconds(Date.now() - startedAt)}`,
    );
  } finally {
    for (const socket of idle) socket.destroy();
  }
});

/** A connection that has had the response to one request. */
async function answeredConnection(url: string): Promise<{ socket: Socket; head: string }> {
  const { hostname, port } = new URL(url);
  const socket = createConnection(Number(port), hostname).on('error', () => {});
  socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [bytes] = await once(socket, 'data');
  return { socket, head: String(bytes) };
}

it('connections that stay idle after a request do not occupy the limit of connections', async () => {
  const idle: Socket[] = [];
  try {
    for (let count = 0; count < 200; count += 1) idle.push((await answeredConnection(small.url)).socket);
    expect((await rawRequest(small.url, { path: '/health' })).status).toBe(200);
    await eventually(() => expect(idle.filter(({ closed }) => !closed).length).toBeLessThan(60));
    expect((await rawRequest(small.url, { path: '/metrics' })).text).toContain(
      'chat_web_connections_dropped_total 0\n',
    );
  } finally {
    for (const socket of idle) socket.destroy();
  }
});

it('a connection is kept for as long as set, and the response says so', async () => {
  const { socket, head } = await answeredConnection(brief.url);
  expect(head).toMatch(/^keep-alive: timeout=2\r$/im);
  await eventually(() => expect(socket.closed).toBe(true));
});
