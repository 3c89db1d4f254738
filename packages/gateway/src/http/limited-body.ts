import { GatewayError } from '@chat-web/protocol';
import type { Context } from 'hono';

/** How long a body may come to a stand. */
const STALL_TIMEOUT_MS = 10_000;

/** The chunks of a body, as long as there are not too many of them and they keep coming. `body_too_large`, `invalid_request`. */
export async function* limitedBody(c: Context, maxBodyBytes: number): AsyncGenerator<Uint8Array> {
  const tooLarge = () => new GatewayError('body_too_large', `a body may have at most ${maxBodyBytes} bytes`);
  if (Number(c.req.header('Content-Length') ?? 0) > maxBodyBytes) throw tooLarge();
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = c.req.raw.body?.getReader();
  let size = 0;
  while (reader) {
    const { done, value } = await unlessStalled(reader.read());
    if (done) return;
    size += value.byteLength;
    if (size > maxBodyBytes) throw tooLarge();
    yield value;
  }
}

function unlessStalled<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new GatewayError('invalid_request', `the body came to a stand for ${STALL_TIMEOUT_MS / 1_000} s`));
    }, STALL_TIMEOUT_MS);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
