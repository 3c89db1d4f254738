import { createConnection } from 'node:net';
import { eventually, figure, rawRequest, seconds } from '@chat-web/testing';
import { sharedGateway } from '@chat-web/testing/story';
import { expect, it } from 'vitest';

const gateway = sharedGateway();

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
    const { text } = await rawRequest(gateway.url, { path: '/metrics' });
    expect(Number(/^chat_web_connections_open (\d+)$/m.exec(text)?.[1])).toBeGreaterThanOrEqual(1_000);
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
