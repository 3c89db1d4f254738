import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnGateway } from '@chat-web/gateway/tools';
import { eventually, figure, rawRequest, seconds } from '@chat-web/testing';
import { expect, it } from 'vitest';

it('a thousand idle connections are closed, and block no other requests', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'chat-web-test-'));
  const gateway = await spawnGateway({ CHAT_WEB_PORT: '0', CHAT_WEB_DATA_DIR: dataDir });
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
    await eventually(() => expect(idle.every(({ closed }) => closed)).toBe(true), 30_000);
    figure(
      'idle connections',
      `1,000 idle connections: /health answered, all closed after ${seconds(Date.now() - startedAt)}`,
    );
  } finally {
    for (const socket of idle) socket.destroy();
    await gateway.end();
    await rm(dataDir, { recursive: true });
  }
});
