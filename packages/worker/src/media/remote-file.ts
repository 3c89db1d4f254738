import { open } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AddressGuard, ForbiddenAddressError, type Resolver } from '@chat-web/outbound';
import { GatewayError, MIME_TYPE } from '@chat-web/protocol';
import type { FetchLimits } from '../client/port.ts';

const MOST_REDIRECTS = 5;

/** In characters, like the limit of `mimeType` in a request. */
const LONGEST_TYPE = 100;

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
  const signal = AbortSignal.timeout(limits.timeoutMs);
  const { maxBytes, allowedHosts } = limits;
  const fetch = { maxBytes, guard: new AddressGuard(allowedHosts, resolver), signal };
  try {
    const response = await follow(new URL(url), fetch);
    const counter = new ByteLimit(maxBytes, add);
    // Opened first: a stream opens lazily, and could create the file again after a failure removed it.
    const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
      response.destroy();
      throw error;
    });
    await pipeline(response, counter, file.createWriteStream(), { signal });
    return { size: counter.size, mimeType: claimedType(response) };
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    if (error instanceof ForbiddenAddressError) throw unavailable(error.message);
    throw unavailable(signal.aborted ? `it took longer than ${limits.timeoutMs / 1_000} s` : reasonOf(error));
  }
}

/** Limits of one fetch, across its redirects. */
interface Fetch {
  readonly maxBytes: number;
  readonly guard: AddressGuard;
  readonly signal: AbortSignal;
}

async function follow(start: URL, fetch: Fetch): Promise<IncomingMessage> {
  let url = start;
  for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
    const response = await get(url, fetch);
    const { statusCode = 0, headers } = response;
    if (statusCode === 200) {
      const problem = problemOf(headers, fetch.maxBytes);
      if (!problem) return response;
      response.destroy();
      throw unavailable(problem);
    }
    response.destroy();
    if (statusCode < 300 || statusCode > 399 || !headers.location)
      throw unavailable(`the server answered ${statusCode}`);
    url = new URL(headers.location, url);
  }
  throw unavailable(`more than ${MOST_REDIRECTS} redirects`);
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
  return claimed.length <= LONGEST_TYPE && MIME_TYPE.test(claimed) ? claimed : undefined;
}

function get(url: URL, { guard, signal }: Fetch): Promise<IncomingMessage> {
  const lookup = guard.lookupFor(url);
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const headers = { 'User-Agent': 'chat-web', Accept: '*/*', 'Accept-Encoding': 'identity' };
    // A new connection: a pooled one was checked for another request.
    const outgoing = request(url, { agent: false, lookup, headers, signal }, resolve);
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** Why a connection failed, without details that would disclose a private network. */
function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'the connection failed';
}

class ByteLimit extends Transform {
  size = 0;
  readonly #most: number;
  readonly #add: (bytes: number) => void;

  constructor(most: number, add: (bytes: number) => void) {
    super();
    this.#most = most;
    this.#add = add;
  }

  override _transform(chunk: Buffer, _encoding: string, done: (error?: Error | null, chunk?: Buffer) => void): void {
    this.size += chunk.length;
    try {
      if (this.size > this.#most) throw unavailable(largerThan(this.#most));
      this.#add(chunk.length);
      done(null, chunk);
    } catch (error) {
      done(error as Error);
    }
  }
}

function largerThan(most: number): string {
  return `it is larger than ${most} bytes`;
}

function unavailable(why: string): GatewayError {
  return new GatewayError('media_unavailable', `the media url could not be fetched: ${why}`);
}
