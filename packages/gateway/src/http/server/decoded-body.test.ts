import { randomBytes } from 'node:crypto';
import { deflateSync, gzipSync } from 'node:zlib';
import { GatewayError } from '@chat-web/protocol';
import { describe, expect, it } from 'vitest';
import { decodedBody, type Encoding, encodingOf } from './decoded-body.ts';

const MAX_BYTES = 1_000_000;
const text = Buffer.from('a text that repeats itself. '.repeat(2_000));
const noise = randomBytes(300_000);

async function* inPieces(bytes: Buffer, pieceBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/** The decoded bytes, or the code and the text of the error. */
async function decoded(bytes: Buffer, encoding: Encoding, pieceBytes = 1_000, maxBytes = MAX_BYTES) {
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of decodedBody(inPieces(bytes, pieceBytes), encoding, { maxBytes })) pieces.push(piece);
    return Buffer.concat(pieces);
  } catch (error) {
    if (error instanceof GatewayError) return `${error.code}: ${error.message}`;
    throw error;
  }
}

const bytesOf = (result: Buffer | string) => (typeof result === 'string' ? expect.unreachable(result) : result);

describe('decodedBody', () => {
  it.each([1, 100, 65_536, 1_000_000])('yields every byte, in pieces of %i', async (pieceBytes) => {
    for (const body of pieceBytes === 1 ? [text] : [text, noise]) {
      expect(body.equals(bytesOf(await decoded(gzipSync(body), 'gzip', pieceBytes)))).toBe(true);
      expect(body.equals(bytesOf(await decoded(gzipSync(body), 'x-gzip', pieceBytes)))).toBe(true);
      expect(body.equals(bytesOf(await decoded(deflateSync(body), 'deflate', pieceBytes)))).toBe(true);
    }
  });

  it('yields several gzip members as one body', async () => {
    const members = Buffer.concat([gzipSync(text), gzipSync(noise)]);
    expect(Buffer.concat([text, noise]).equals(bytesOf(await decoded(members, 'gzip')))).toBe(true);
  });

  it.each([1, 65_536])('refuses what is not encoded like that, in pieces of %i', async (pieceBytes) => {
    const gzip = gzipSync(text);
    for (const bad of [
      Buffer.from('{"type":"text"}'),
      Buffer.alloc(0),
      gzip.subarray(0, -5),
      gzip.subarray(0, 5),
      Buffer.concat([gzip, Buffer.from('and more')]),
      Buffer.concat([gzip.subarray(0, 50), Buffer.alloc(50, 0xff), gzip.subarray(100)]),
    ])
      expect(await decoded(bad, 'gzip', pieceBytes)).toMatch(/^invalid_request: .*Content-Encoding/);
  });

  it('stops at the limit: a bomb is decoded only up to it', async () => {
    const bomb = gzipSync(Buffer.alloc(100_000_000));
    let read = 0;
    async function* counted() {
      for await (const piece of inPieces(bomb, 1_000)) {
        read += piece.length;
        yield piece;
      }
    }
    const all = async () => {
      for await (const _ of decodedBody(counted(), 'gzip', { maxBytes: MAX_BYTES }));
    };
    await expect(all()).rejects.toMatchObject({ code: 'body_too_large' });
    expect(read).toBeLessThan(5_000);
  });

  it('is not ahead of its reader, and closes its source when the reader stops', async () => {
    let [read, isClosed] = [0, false];
    async function* source() {
      try {
        for await (const piece of inPieces(gzipSync(noise), 1_000)) {
          read += piece.length;
          yield piece;
        }
      } finally {
        isClosed = true;
      }
    }
    for await (const _ of decodedBody(source(), 'gzip', { maxBytes: MAX_BYTES })) break;
    expect(read).toBeLessThan(150_000);
    expect(isClosed).toBe(true);
  });

  it('throws the error of its source', async () => {
    async function* failing(): AsyncGenerator<Buffer> {
      yield gzipSync(text).subarray(0, 20);
      throw new GatewayError('request_timeout', 'too slow');
    }
    const all = async () => {
      for await (const _ of decodedBody(failing(), 'gzip', { maxBytes: MAX_BYTES }));
    };
    await expect(all()).rejects.toMatchObject({ code: 'request_timeout' });
  });
});

describe('encodingOf', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['GZIP', 'gzip'],
    [' deflate ', 'deflate'],
    ['x-gzip', 'x-gzip'],
  ])('%j is %j', (written, encoding) => expect(encodingOf(written)).toBe(encoding));

  it.each(['br', 'zstd', 'gzip, gzip', 'toString', 'utf-8'])('%s is refused by the name of the header', (written) => {
    expect(() => encodingOf(written)).toThrow(/Content-Encoding/);
  });
});
