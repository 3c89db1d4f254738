import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { GatewayError } from '@chat-web/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inHttpChunks } from '../../../../scripts/hostile-bodies.ts';
import { arrivedBody, type BodyLimits, limitedBody, SMALL_BODY_BYTES } from './limited-body.ts';

const HEAD = 'POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n';
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
const withLength = (bytes: number) => `${HEAD}Content-Length: ${bytes}\r\n\r\n`;

let server: Server;
let socket: Socket;
let limits: BodyLimits;
/** The result: the bytes of the body, or the error code. */
let outcome: Promise<Buffer | string>;
let settle: (outcome: Promise<Buffer | string>) => void;
/** Runs before each piece is consumed. */
let work: () => Promise<void>;

beforeEach(async () => {
  limits = { maxBytes: 1_000_000 };
  work = async () => {};
  outcome = new Promise((resolve) => {
    settle = resolve;
  });
  server = createServer((incoming, response) => {
    const read = readAll(incoming);
    settle(read);
    void read.then(() => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
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
    work = () => delay(1);
    socket.write(CHUNKED);
    for (const [from, to, size] of [
      [0, 1_000, 1],
      [1_000, 9_000, 100],
      [9_000, 300_000, 1_000],
    ] as const) {
      socket.write(inHttpChunks(body.subarray(from, to), size).subarray(0, -5));
      await delay(5);
    }
    socket.write('0\r\n\r\n');
    expect(body.equals((await outcome) as Buffer)).toBe(true);
  });

  it('enforces the limit with and without a Content-Length', async () => {
    socket.write(withLength(1_000_001));
    expect(await outcome).toBe('body_too_large');
  });

  it('counts bytes without a Content-Length', async () => {
    socket.write(CHUNKED);
    socket.write(inHttpChunks(Buffer.alloc(1_001_000), 1_000));
    expect(await outcome).toBe('body_too_large');
  });

  it('rejects a large body with the given error without reading it', async () => {
    const error = new GatewayError('session_not_found', 'there is none');
    limits = { maxBytes: 1_000_000, refusal: { aboveBytes: 10_000, error } };
    socket.write(`${withLength(10_001)}x`);
    expect(await outcome).toBe('session_not_found');
  });

  it('still reads a small body', async () => {
    const error = new GatewayError('session_not_found', 'there is none');
    limits = { maxBytes: 1_000_000, refusal: { aboveBytes: 10_000, error } };
    socket.write(withLength(10_000) + 'x'.repeat(10_000));
    expect(await outcome).toHaveLength(10_000);
  });

  it('rejects too many tiny chunks, and accepts some', async () => {
    socket.write(CHUNKED);
    socket.write(inHttpChunks(Buffer.alloc(4_000), 1));
    expect(await outcome).toBe('invalid_request');
  });

  it('reports an aborted body', async () => {
    socket.write(`${withLength(100)}half`);
    await delay(50);
    socket.destroy();
    expect(await outcome).toBe('invalid_request');
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
    work = () => delay(2 * quick.windowMs);
    socket.write(`${withLength(8)}half`);
    await delay(quick.windowMs);
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
    socket.write(`${withLength(10)}12345`);
    await delay(50);
    socket.write('67890');
    expect(await found).toEqual({ body: undefined, rest: '1234567890' });
  });
});
