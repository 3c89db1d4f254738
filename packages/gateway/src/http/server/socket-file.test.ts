import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ConfigError } from '../../config-error.ts';
import { listenOnSocket } from './socket-file.ts';

it('never has more permissions than its mode, not even before it is set', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'chat-web-socket-'));
  const path = join(folder, 'gateway.sock');
  const bits = () => statSync(path).mode & 0o777;
  const server = createServer();
  const seen: number[] = [];
  server.once('listening', () => seen.push(bits()));
  const mask = process.umask(0);
  try {
    await listenOnSocket(server, { path, mode: 0o640, group: undefined });
    expect(process.umask(0)).toBe(0);
  } finally {
    process.umask(mask);
  }
  expect([...seen, bits()]).toEqual([0, 0o640]);
  server.close();
  await rm(folder, { recursive: true });
});

it('rejects an unknown group', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'chat-web-socket-'));
  const socket = { path: join(folder, 'gateway.sock'), mode: 0o660, group: 'no-such-group' };
  await expect(listenOnSocket(createServer(), socket)).rejects.toThrow(ConfigError);
  await rm(folder, { recursive: true });
});
