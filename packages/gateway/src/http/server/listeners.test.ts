import { connect, type Socket } from 'node:net';
import { eventually } from '@chat-web/testing';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { maxOpenFiles } from '../../host/open-files.ts';
import { Listeners } from './listeners.ts';

it('connections leave the files that others have open, and get them back', async () => {
  let others = maxOpenFiles();
  const options = {
    host: '127.0.0.1',
    port: 0,
    tls: undefined,
    socket: undefined,
    maxConnections: 40,
    keepAliveMs: 60_000,
  };
  const listeners = await Listeners.open(options, {
    fetch: () => new Response(),
    log: pino({ enabled: false }),
    otherFiles: () => others,
    asksForBody: () => false,
  });
  const port = Number(new URL(listeners.url).port);
  const sockets: Socket[] = [];
  const more = (count: number) => {
    for (let n = 0; n < count; n += 1)
      sockets.push(
        connect(port, '127.0.0.1')
          .on('error', () => {})
          .resume(),
      );
  };
  more(30);
  await eventually(() => expect(listeners.connections.dropped).toBe(20));
  expect(await listeners.connections.open()).toBe(10);
  others = 0;
  more(30);
  await eventually(() => expect(listeners.connections.dropped).toBe(21)); // The first one finds the old limit.
  await eventually(async () => expect(await listeners.connections.open()).toBe(39));
  for (const socket of sockets) socket.destroy();
  await listeners.close(async () => {});
});
