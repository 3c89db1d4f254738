import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { EventName } from '@chat-web/protocol';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Entry, Feed } from '../events/feed.ts';
import { ResponseStream } from './response-stream.ts';

const server = createServer();
const log = { error: vi.fn() };
let response: ServerResponse;

beforeEach(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

class TestFeed {
  entries: Entry[] = [];
  reads = 0;
  readonly listeners = new Set<() => void>();

  add(texts: readonly string[]): void {
    const [event, session]: [EventName, string] = ['message_ack', 'main'];
    this.entries.push(...texts.map((text) => ({ id: undefined, event, session, at: 0, text: JSON.stringify(text) })));
    for (const listener of [...this.listeners]) listener();
  }
  get isAtEnd(): boolean {
    return this.entries.length === 0;
  }
  read(): Entry[] {
    this.reads += 1;
    return this.entries.splice(0, 10);
  }
  onBegin(): void {}
  onMore(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** A client that opens a stream and does not read it yet. */
async function silentReader(): Promise<Socket> {
  const asked = once(server, 'request');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.pause().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  [, response] = (await asked) as [unknown, ServerResponse];
  return socket;
}

function openStream(feed: TestFeed): ResponseStream {
  const stream = new ResponseStream(response, feed as unknown as Feed, { withSession: false, takes: () => true, log });
  stream.open();
  return stream;
}

function textOf(socket: Socket): () => string {
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

/** Also fills the buffers of the operating system: nothing more can be written. */
async function untilStalled(feed: TestFeed): Promise<void> {
  for (let reads = -1; reads !== feed.reads; ) {
    reads = feed.reads;
    feed.add(Array.from({ length: 10 }, () => 'x'.repeat(60_000)));
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  }
}

it('a stalled reader holds one chunk in memory, however much there is to read', async () => {
  const [socket, feed] = [await silentReader(), new TestFeed()];
  const stream = openStream(feed);
  await untilStalled(feed);
  const unread = response.writableLength;
  feed.add(Array.from({ length: 1_000 }, () => 'x'.repeat(60_000)));
  for (let n = 0; n < 1_000; n += 1) stream.write(`: ${'y'.repeat(1_000)}\n\n`);
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  expect(response.writableLength).toBe(unread);
  expect(unread).toBeLessThan(200_000);
  socket.destroy();
  await once(response, 'close');
  expect(feed.listeners.size).toBe(0);
});

it('a reader that reads nothing for 30 s is disconnected; one that keeps reading gets everything', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const [socket, feed] = [await silentReader(), new TestFeed()];
  openStream(feed);
  await untilStalled(feed);
  vi.advanceTimersByTime(29_000);
  const left = feed.entries.length;
  socket.resume();
  await vi.waitFor(() => expect(feed.entries.length).toBe(0), { timeout: 10_000 });
  expect(left).toBeGreaterThan(0);
  socket.pause();
  await untilStalled(feed);
  const closed = once(response, 'close');
  vi.advanceTimersByTime(31_000);
  await closed;
  socket.destroy();
});

it('a stream that is cut off is closed even if its reader leaves much of it unread', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const [socket, feed] = [await silentReader(), new TestFeed()];
  const stream = openStream(feed);
  await untilStalled(feed);
  const closed = once(response, 'close');
  stream.cutOff('the key no longer holds');
  // Without the cut it is the end of the wait for a slow reader, after 30 s.
  vi.advanceTimersByTime(1_000);
  await closed;
  socket.destroy();
});

it('a stream that is cut off ends cleanly if its reader has read all of it', async () => {
  const [socket, feed] = [await silentReader(), new TestFeed()];
  const stream = openStream(feed);
  const text = textOf(socket);
  const closed = once(response, 'close');
  stream.cutOff('the key no longer holds');
  socket.resume();
  await closed;
  await expect.poll(text).toContain(': the key no longer holds\n\n');
  socket.destroy();
});

it('simultaneous events are sent as one chunk, in order', async () => {
  const [socket, feed] = [await silentReader(), new TestFeed()];
  const stream = openStream(feed);
  const text = textOf(socket);
  feed.add(['1', '2', '3']);
  await setImmediate();
  feed.add(['4', '5']);
  await setImmediate();
  stream.end(': over\n\n');
  socket.resume();
  await expect.poll(text).toContain('\r\n0\r\n');
  const chunks = text()
    .slice(text().indexOf('\r\n\r\n') + 4)
    .split(/\r?\n?[0-9a-f]+\r\n/);
  const frame = (n: number) => `event: message_ack\ndata: "${n}"\n\n`;
  expect(chunks.filter((chunk) => chunk.includes('data:'))).toEqual([
    frame(1) + frame(2) + frame(3),
    frame(4) + frame(5),
  ]);
  socket.destroy();
});

it('a feed that cannot be read ends the stream, and is logged', async () => {
  const [socket, feed] = [await silentReader(), new TestFeed()];
  const text = textOf(socket);
  socket.resume();
  openStream(feed);
  feed.read = () => {
    throw new Error('EIO');
  };
  feed.add(['1']);
  await expect.poll(text).toContain(': the events could not be read\n\n');
  expect(log.error).toHaveBeenCalledWith({ error: 'EIO' }, 'journal not read');
  socket.destroy();
});
