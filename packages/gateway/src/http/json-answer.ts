import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

const PIECE_BYTES = 65_536;

/** An answer as JSON. A long one goes out in pieces: of a single one it does not show how fast it is taken. */
export function jsonAnswer(c: Context, answer: unknown, status: ContentfulStatusCode): Response {
  const bytes = Buffer.from(JSON.stringify(answer));
  const headers = { 'Content-Type': 'application/json', 'Content-Length': String(bytes.length) };
  return c.body(bytes.length > PIECE_BYTES ? inPieces(bytes) : new Uint8Array(bytes), status, headers);
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
