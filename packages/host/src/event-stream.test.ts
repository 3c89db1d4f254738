import { createServer, type ServerResponse } from 'node:http';
import { collectGarbage, listening, pace } from '@chat-web/testing';
import { expect, it } from 'vitest';
import { openEventStream } from './event-stream.ts';

it('a stream that is read late is still open, also after a garbage collection', async () => {
  let response: ServerResponse | undefined;
  const server = createServer((_, answer) => {
    response = answer.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(': open\n\n');
  });
  const url = `http://127.0.0.1:${await listening(server)}`;
  const over = new AbortController();
  try {
    const events = await openEventStream({ url }, 'main', over.signal);
    for (let round = 0; round < 5; round += 1) {
      collectGarbage();
      await pace(50);
    }
    response?.write('event: message_ack\ndata: {"id":"true_1@c.us_A","ack":2}\n\n');
    for await (const { name } of events) {
      expect(name).toBe('message_ack');
      return;
    }
    expect.unreachable();
  } finally {
    over.abort();
    server.closeAllConnections();
    server.close();
  }
});
