import { Readable } from 'node:stream';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { LongList } from '../long-list.ts';

const PIECE_BYTES = 65_536;
/** The most UTF-8 bytes of a UTF-16 code unit. */
const MAX_BYTES_OF_A_UNIT = 3;

/** A JSON response. A long one is sent in pieces, so that a slow reader can be detected. */
export function jsonAnswer(c: Context, answer: unknown, status: ContentfulStatusCode): Response {
  const type = { 'Content-Type': 'application/json' };
  if (answer instanceof LongList) {
    const pieces = Readable.toWeb(Readable.from(answer.json(), { objectMode: false })) as ReadableStream<Uint8Array>;
    return c.body(pieces, status, { ...type, 'Content-Length': String(answer.length) });
  }
  const text = JSON.stringify(answer);
  if (text.length <= PIECE_BYTES / MAX_BYTES_OF_A_UNIT) return c.body(text, status, type);
  const bytes = Buffer.from(text);
  return c.body(inPieces(bytes), status, { ...type, 'Content-Length': String(bytes.length) });
}

function inPieces(bytes: Buffer): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull: (pieces) => {
      pieces.enqueue(bytes.subarray(at, at + PIECE_BYTES));
      at += PIECE_BYTES;
      if (at >= bytes.length) pieces.close();
    },
  });
}
