import { JsonBounds } from '@chat-web/protocol';
import { joinedBytes } from './joined-bytes.ts';

/** The longest responses of a gateway are lists of 32 MB. */
const MAX_BYTES = 64 * 1_048_576;
const MAX_JSON = { depth: 64, values: 4_000_000 };
/** Smaller responses need no check. */
const SMALL_BYTES = 65_536;

/**
 * The JSON of a response; undefined if it is none, or more than a gateway returns: what answers may be another server.
 * Rejects if the connection breaks.
 */
export async function jsonOf({ body }: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = body?.getReader();
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    chunks.push(read.value);
    size += read.value.byteLength;
    if (size <= MAX_BYTES) continue;
    await reader?.cancel();
    return undefined;
  }
  try {
    const bytes = joinedBytes(chunks, size);
    if (size > SMALL_BYTES) new JsonBounds(MAX_JSON, (limit) => new Error(limit)).scan(bytes);
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
