import { invalidRequest, type Operation, UploadedFile } from '@chat-web/protocol';
import type { Context } from 'hono';
import { hashOf, type KeyedRequest } from '../sends/idempotency.ts';
import type { ServerEnv } from './server-env.ts';

/** The header with a caller's key. */
export const KEY_HEADER = 'Idempotency-Key';

/** Printable ASCII characters. */
const KEY = /^[ -~]{1,255}$/;

/** The hash of the request's key, which is the caller's own; undefined without one. `invalid_request` if it is invalid. */
export function keyHashOf(c: Context<ServerEnv>, operation: Operation): string | undefined {
  const key = operation.keyed && c.req.header(KEY_HEADER);
  if (key === undefined) return undefined;
  if (!KEY.test(key))
    throw invalidRequest([{ path: KEY_HEADER, message: 'must be 1 to 255 printable ASCII characters' }]);
  return hashOf(c.get('caller').id, key);
}

/** The keyed request that has this input. */
export function keyedRequest(
  name: string,
  operation: Operation,
  hash: string,
  { id, ...body }: Readonly<Record<string, unknown>>,
): KeyedRequest {
  const whole = JSON.stringify(body, (_, value) => (value instanceof UploadedFile ? value.sha256 : value));
  const choosesMessageId = operation.keyed?.choosesMessageId(body) ?? false;
  const isHarmlessTwice = operation.keyed?.isHarmlessTwice?.(body) ?? false;
  return { session: String(id), hash, fingerprint: hashOf(name, whole), choosesMessageId, isHarmlessTwice };
}
