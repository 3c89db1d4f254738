import { readdirSync, readlinkSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { ADA, BEN, eventually, figure, pace, patternBytes, seconds } from '@chat-web/testing';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

const HALF_KB = 512;
/** Callers have 10 s. A gateway that closes at once would refuse slow callers too. */
const MIN_PATIENCE_MS = 8_000;
const UPLOAD_BYTES = 10_000_000;
const DOWNLOAD_BYTES = 40_000_000;

describe('slow callers', { concurrent: true }, () => {
  const stack = sharedStack();
  let messageId: string;
  beforeAll(async () => {
    await stack.link('main', ADA);
    const base64 = Buffer.from(patternBytes(DOWNLOAD_BYTES)).toString('base64');
    ({ id: messageId } = await stack.client.sendMessage({ id: 'main', type: 'document', to: BEN, base64 }));
  });

  const open = (head: string): Promise<Socket> =>
    new Promise((resolve) => {
      const socket = connect(Number(new URL(stack.gateway.url).port), '127.0.0.1', () => {
        socket.write(`${head}\r\nHost: 127.0.0.1\r\n`);
        resolve(socket);
      });
      socket.on('error', () => {});
    });
  const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()));

  it('an upload below 1 KB/s is answered 408, its connection closed, and its file removed', async () => {
    const startedAt = Date.now();
    const socket = await open('POST /sessions/main/messages HTTP/1.1');
    socket.write(`Content-Type: application/json\r\nContent-Length: ${UPLOAD_BYTES}\r\n\r\n`);
    socket.write(`{"type":"document","to":"${BEN}","base64":"`);
    const timer = setInterval(() => socket.write('A'.repeat(HALF_KB)), 1_000);
    let answer = '';
    socket.on('data', (bytes) => {
      answer += bytes.toString();
    });
    await eventually(async () => expect(await stack.spooled()).toHaveLength(1));
    await closed(socket);
    clearInterval(timer);
    expect(answer).toMatch(/^HTTP\/1\.1 408 .*"code":"request_timeout"/s);
    const tookMs = Date.now() - startedAt;
    expect(tookMs).toBeGreaterThan(25_000);
    await eventually(async () => expect(await stack.spooled()).toEqual([]));
    figure('slow callers', `an upload of ${HALF_KB} bytes/s closed after ${seconds(tookMs)}, 0 files left`);
  });

  it('a body of 2 KB/s is read to its end', async () => {
    const body = JSON.stringify({ subject: 'A'.repeat(80_000), participants: [] });
    const socket = await open('POST /sessions/main/groups HTTP/1.1');
    socket.write(`Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`);
    let answer = '';
    socket.on('data', (bytes) => {
      answer += bytes.toString();
      if (answer.includes('"code"')) socket.destroy();
    });
    const isClosed = closed(socket);
    for (let at = 0; at < body.length; at += 2 * HALF_KB) {
      socket.write(body.slice(at, at + 2 * HALF_KB));
      await pace(500);
    }
    await isClosed;
    expect(answer).toContain('must be at most 100 characters');
  });

  it('a download without a reader is closed, and its file is removed', async () => {
    const startedAt = Date.now();
    const socket = await open(`GET /sessions/main/messages/${encodeURIComponent(messageId)}/media HTTP/1.1`);
    socket.write('\r\n');
    socket.pause();
    const isOpen = () =>
      readdirSync(`/proc/${stack.gateway.pid}/fd`).some((fd) => {
        try {
          return readlinkSync(`/proc/${stack.gateway.pid}/fd/${fd}`).includes('/spool/main/');
        } catch {
          return false; // Closed in the meantime.
        }
      });
    await eventually(() => expect(isOpen()).toBe(true));
    await eventually(() => expect(isOpen()).toBe(false), 180_000);
    const tookMs = Date.now() - startedAt;
    let received = 0;
    socket.on('data', (bytes) => {
      received += bytes.length;
    });
    socket.resume();
    await closed(socket);
    expect(received).toBeLessThan(DOWNLOAD_BYTES);
    expect(tookMs).toBeGreaterThan(25_000);
    figure('slow callers', `a download without a reader closed after ${seconds(tookMs)}, 0 files left`);
  });

  it.each([
    ['a head', 'GET /health HTTP/1.1', 'X-Slow: '],
    [
      'a body',
      'POST /sessions/x/messages HTTP/1.1',
      'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"type"',
    ],
  ])('%s that is never finished is answered 408, and its connection closed', async (_, head, rest) => {
    const startedAt = performance.now();
    const socket = await open(head);
    socket.write(rest);
    // The socket keeps its own side open: the gateway must close the connection.
    const gone = closed(socket);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /);
    expect(performance.now() - startedAt).toBeGreaterThan(MIN_PATIENCE_MS);
    socket.write('more');
    await gone;
  });

  it.each(['/health', '/sessions/main/events'])('that send an endless body to %s are disconnected', async (path) => {
    const socket = await open(`GET ${path} HTTP/1.1`);
    socket.write('Transfer-Encoding: chunked\r\n\r\n');
    const crumbs = setInterval(() => socket.write('1\r\nx\r\n'.repeat(100)), 20);
    await eventually(() => expect(socket.closed).toBe(true)).finally(() => clearInterval(crumbs));
  });
});
