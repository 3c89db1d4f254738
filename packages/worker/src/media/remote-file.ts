import { open } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import {
  AddressGuard,
  ForbiddenAddressError,
  guardedRequest,
  RequestTimeoutError,
  type Resolver,
} from '@chat-web/outbound';
import { GatewayError, MIME_TYPE } from '@chat-web/protocol';
import type { FetchLimits } from '../client/port.ts';

const MAX_REDIRECTS = 5;
const HEADERS = { 'User-Agent': 'chat-web', Accept: '*/*', 'Accept-Encoding': 'identity' };

/** In characters, like the limit of `mimeType` in a request. */
const MAX_TYPE_LENGTH = 100;

/** A fetched file. The type comes from its server, if valid. */
export interface RemoteFile {
  readonly size: number;
  readonly mimeType: string | undefined;
}

/**
 * Fetches a URL into a new file. The URL must resolve to public addresses, or to hosts and ranges that the operator
 * allows. Each redirect is checked again. The check uses the same addresses as the connection, and rejects a host that
 * also has a private address. `add` is called with the size of each chunk before it is written, and may throw. Rejects
 * with `media_unavailable`, or with the error of `add`.
 */
export async function fetchToFile(
  url: string,
  path: string,
  limits: FetchLimits,
  add: (bytes: number) => void,
  resolver?: Resolver,
): Promise<RemoteFile> {
  const { maxBytes, allowedHosts, timeoutMs } = limits;
  try {
    const response = await follow(new URL(url), new AddressGuard(allowedHosts, resolver), limits);
    let size = 0;
    const count = async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        size += chunk.length;
        if (size > maxBytes) throw unavailable(largerThan(maxBytes));
        add(chunk.length);
        yield chunk;
      }
    };
    // Opened first: a stream opens lazily, and could create the file again after a failure removed it.
    const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
      response.destroy();
      throw error;
    });
    await pipeline(response, count, file.createWriteStream());
    return { size, mimeType: claimedType(response) };
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    if (error instanceof ForbiddenAddressError) throw unavailable(error.message);
    throw unavailable(
      error instanceof RequestTimeoutError ? `it took longer than ${timeoutMs / 1_000} s` : reasonOf(error),
    );
  }
}

/** All requests together take at most `timeoutMs`. */
async function follow(start: URL, guard: AddressGuard, { maxBytes, timeoutMs }: FetchLimits): Promise<IncomingMessage> {
  const endsAt = performance.now() + timeoutMs;
  let url = start;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const response = await guardedRequest(url, { guard, headers: HEADERS, timeoutMs: endsAt - performance.now() });
    const { statusCode = 0, headers } = response;
    if (statusCode === 200) {
      const problem = problemOf(headers, maxBytes);
      if (!problem) return response;
      response.destroy();
      throw unavailable(problem);
    }
    response.destroy();
    if (statusCode < 300 || statusCode > 399 || !headers.location)
      throw unavailable(`the server returned ${statusCode}`);
    url = new URL(headers.location, url);
  }
  throw unavailable(`more than ${MAX_REDIRECTS} redirects`);
}

/** Why a response is refused before its body is read. */
function problemOf(headers: IncomingMessage['headers'], maxBytes: number): string | undefined {
  if (Number(headers['content-length'] ?? 0) > maxBytes) return largerThan(maxBytes);
  // Not requested, and a few compressed bytes may expand without limit.
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') return 'the server sent a compressed response';
  return undefined;
}

function claimedType({ headers }: IncomingMessage): string | undefined {
  const claimed = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  return claimed.length <= MAX_TYPE_LENGTH && MIME_TYPE.test(claimed) ? claimed : undefined;
}

/** Why a connection failed, without details that would disclose a private network. */
function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'the connection failed';
}

function largerThan(max: number): string {
  return `it is larger than ${max} bytes`;
}

function unavailable(why: string): GatewayError {
  return new GatewayError('media_unavailable', `the media url could not be fetched: ${why}`);
}
