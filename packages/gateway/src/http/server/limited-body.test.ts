import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { deferred, GatewayError } from '@chat-web/protocol';
import { inHttpChunks, listening, pace, takes } from '@chat-web/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { arrivedBody, type BodyLimits, limitedBody, SMALL_BODY_BYTES } from './limited-body.ts';

const HEAD = 'POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n';
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
const withLength = (bytes: number) => `${HEAD}Content-Length: ${bytes}\r\n\r\n`;

let server: Server;
let socket: Socket;
let limits: BodyLimits;
/** The result: the bytes of the body, or the error code. */
let outcome: Promise<Buffer | string>;
let work: () => Promise<void>;

beforeEach(async () => {
  limits = { maxBytes: 1_000_000 };
  work = async () => {};
  const { promise, resolve } = deferred<Buffer | string>();
  outcome = promise;
  server = createServer((incoming, response) => {
    const read = readAll(incoming);
    resolve(read);
    void read.then(() => response.end());
  });
  socket = connect(await listening(server), '127.0.0.1').on('error', () => {});
});
afterEach(async () => {
  socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

async function readAll(incoming: IncomingMessage): Promise<Buffer | string> {
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of limitedBody(incoming, limits)) {
      await work();
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  } catch (error) {
    return error instanceof GatewayError ? error.code : String(error);
  }
}

describe('limitedBody', () => {
  it('yields every byte, for any chunk sizes and any reading speed', async () => {
    const body = Buffer.from(Array.from({ length: 300_000 }, (_, n) => (n * 7_919) >> 8));
    work = () => takes(1);
    socket.write(CHUNKED);
    for (const [from, to, size] of [
      [0, 1_000, 1],
      [1_000, 9_000, 100],
      [9_000, 300_000, 1_000],
    ] as const) {
      socket.write(inHttpChunks(body.subarray(from, to), size).subarray(0, -5));
      await pace(5);
    }
    socket.write('0\r\n\r\n');
    expect(body.equals((await outcome) as Buffer)).toBe(true);
  });

  const missing = new GatewayError('session_not_found', 'there is none');
  const refusal = { aboveBytes: 10_000, error: missing };

  it.each<[string, Partial<BodyLimits>, (string | Buffer)[], string]>([
    ['that announces too much', {}, [withLength(1_000_001)], 'body_too_large'],
    ['that sends too much', {}, [CHUNKED, inHttpChunks(Buffer.alloc(1_001_000), 1_000)], 'body_too_large'],
    ['that is large, unread, with the given error', { refusal }, [`${withLength(10_001)}x`], 'session_not_found'],
    ['in too many tiny chunks', {}, [CHUNKED, inHttpChunks(Buffer.alloc(4_000), 1)], 'invalid_request'],
  ])('refuses a body %s', async (_, more, sent, code) => {
    limits = { ...limits, ...more };
    for (const piece of sent) socket.write(piece);
    expect(await outcome).toBe(code);
  });

  it('still reads a small body', async () => {
    limits = { ...limits, refusal };
    socket.write(withLength(10_000) + 'x'.repeat(10_000));
    expect(await outcome).toHaveLength(10_000);
  });

  it('reports an aborted body', async () => {
    const asked = once(server, 'request');
    socket.write(`${withLength(100)}half`);
    await asked;
    socket.destroy();
    expect(await outcome).toBe('invalid_request');
  });

  it('ends as soon as its signal aborts, with its reason', async () => {
    const ended = new AbortController();
    // Nothing else ends it.
    limits = { ...limits, signal: ended.signal, rate: { stallMs: 1e9, windowMs: 1e9, bytesInWindow: 0 } };
    const { promise: hasRead, resolve } = deferred<void>();
    work = async () => resolve();
    socket.write(`${withLength(100)}half`);
    await hasRead;
    await pace(20); // It waits for more.
    const gone = new GatewayError('unauthorized', 'the key is gone');
    ended.abort(gone);
    expect(await outcome).toBe('unauthorized');
  });

  const quick = { stallMs: 300, windowMs: 900, bytesInWindow: 1_000 };

  it('times out when nothing more arrives', async () => {
    limits = { maxBytes: 1_000_000, rate: quick };
    socket.write(`${withLength(100)}half`);
    expect(await outcome).toBe('request_timeout');
  });

  it('times out when bytes arrive too slowly', async () => {
    limits = { maxBytes: 1_000_000, rate: quick };
    socket.write(withLength(100_000));
    const timer = setInterval(() => socket.write('x'), 50);
    expect(await outcome).toBe('request_timeout');
    clearInterval(timer);
  });

  it('does not count our own processing time', async () => {
    limits = { maxBytes: 1_000_000, rate: quick };
    work = () => takes(2 * quick.windowMs);
    socket.write(`${withLength(8)}half`);
    await pace(quick.windowMs);
    socket.write('full');
    expect((await outcome).toString()).toBe('halffull');
  });
});

describe('arrivedBody', () => {
  const MANY = 1_000_000;
  let read: (incoming: IncomingMessage) => Promise<Buffer | undefined>;
  /** What was read when the request arrived, and what is left of it. */
  let found: Promise<{ body: string | undefined; rest: string }>;

  beforeEach(() => {
    read = (incoming) => arrivedBody(incoming, MANY);
    found = new Promise((resolve) => {
      server.removeAllListeners('request').on('request', async (incoming, response) => {
        await Promise.resolve();
        const body = (await read(incoming))?.toString();
        let rest = '';
        for await (const piece of incoming) rest += piece;
        resolve({ body, rest });
        response.end();
      });
    });
  });

  it.each([0, 1, 100, SMALL_BODY_BYTES])('returns a body of %i bytes that arrived with its request', async (size) => {
    socket.write(withLength(size) + 'x'.repeat(size));
    expect(await found).toEqual({ body: 'x'.repeat(size), rest: '' });
  });

  it.each([
    ['is larger', withLength(SMALL_BODY_BYTES + 1), 'x'.repeat(SMALL_BODY_BYTES + 1)],
    ['has no known length', CHUNKED, '3\r\nxxx\r\n0\r\n\r\n'],
  ])('does not read a body that %s', async (_, head, body) => {
    socket.write(head + body);
    expect(await found).toEqual({ body: undefined, rest: expect.stringMatching(/^x{3,}$/) });
  });

  it('does not read a body above the limit', async () => {
    read = (incoming) => arrivedBody(incoming, 99);
    socket.write(withLength(100) + 'x'.repeat(100));
    expect(await found).toEqual({ body: undefined, rest: 'x'.repeat(100) });
  });

  it('does not read an incomplete body', async () => {
    const { promise: isDecided, resolve: decided } = deferred();
    read = async (incoming) => {
      const body = await arrivedBody(incoming, MANY);
      decided();
      return body;
    };
    socket.write(`${withLength(10)}12345`);
    await isDecided;
    socket.write('67890');
    expect(await found).toEqual({ body: undefined, rest: '1234567890' });
  });
});
