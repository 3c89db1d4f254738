import { open } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { PassThrough, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import {
  AddressGuard,
  ForbiddenAddressError,
  type GuardedRequest,
  guardedRequest,
  RequestTimeoutError,
  type Resolve,
} from '@chat-web/outbound';
import { GatewayError, MIME_TYPE } from '@chat-web/protocol';
import type { FetchLimits } from '../client/port.ts';
import { dispositionName, pathName } from './remote-name.ts';

const MAX_REDIRECTS = 5;
/** Not requested, but some servers always compress. The output is counted: a few bytes may expand without limit. */
const DECODERS = new Map<string, () => Transform>([
  ['gzip', createUnzip],
  ['x-gzip', createUnzip],
  ['deflate', createUnzip],
  ['br', createBrotliDecompress],
  ['identity', () => new PassThrough()],
]);
/** In characters, for each host. */
const MAX_COOKIE_LENGTH = 4_096;
/** Of all responses that bring a file: a proxy has changed something in the headers of the second one. */
const WHOLE = [200, 203];

/** In characters, like the limit of `mimeType` in a request. */
const MAX_TYPE_LENGTH = 100;

/** A fetched file. */
export interface RemoteFile {
  readonly size: number;
  /** From its server, if valid. */
  readonly mimeType: string | undefined;
  /** The name that its server gives it. */
  readonly filename: string | undefined;
  /** The last part of the path of the URL, after all redirects. */
  readonly pathName: string | undefined;
}

/** A response whose body is still to be read, and where it came from. */
interface Found {
  readonly url: URL;
  readonly response: IncomingMessage;
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
  resolve?: Resolve,
): Promise<RemoteFile> {
  const { maxBytes, allowedHosts, timeoutMs } = limits;
  try {
    const guard = new AddressGuard(allowedHosts, resolve);
    // Each fetch has its own look-ups: the keys that use a session do not wait for each other's.
    const { response, ...found } = await follow(new URL(url), { guard, owner: path }, limits);
    const decoder = DECODERS.get(encodingOf(response)) ?? (() => new PassThrough());
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
    await pipeline(response, decoder(), count, file.createWriteStream());
    return {
      size,
      mimeType: claimedType(response),
      filename: dispositionName(response.headers['content-disposition']),
      pathName: pathName(found.url),
    };
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    if (error instanceof ForbiddenAddressError) throw unavailable(error.message);
    throw unavailable(
      error instanceof RequestTimeoutError ? `it took longer than ${timeoutMs / 1_000} s` : reasonOf(error),
    );
  }
}

/** All requests together take at most `timeoutMs`. */
async function follow(
  start: URL,
  { guard, owner }: Pick<GuardedRequest, 'guard' | 'owner'>,
  limits: FetchLimits,
): Promise<Found> {
  const { maxBytes, userAgent } = limits;
  const endsAt = performance.now() + limits.timeoutMs;
  /** By origin, then by name. */
  const cookies = new Map<string, ReadonlyMap<string, string>>();
  let url = start;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const held = cookies.get(url.origin) ?? new Map<string, string>();
    const cookie = joined(held);
    const common = { 'User-Agent': userAgent, Accept: '*/*', 'Accept-Encoding': 'identity' };
    const headers = cookie ? { ...common, Cookie: cookie } : common;
    const timeoutMs = endsAt - performance.now();
    const response = await guardedRequest(url, { guard, owner, headers, timeoutMs });
    const { location } = response.headers;
    if (isRedirect(response) && location) {
      response.destroy();
      // Some hosts send a visitor back without end until it has their cookie.
      const all = new Map([...held, ...newCookies(response)]);
      if (joined(all).length <= MAX_COOKIE_LENGTH) cookies.set(url.origin, all);
      url = new URL(location, url);
      continue;
    }
    const problem = problemOf(response, maxBytes);
    if (!problem) return { url, response };
    response.destroy();
    throw unavailable(problem);
  }
  throw unavailable(`more than ${MAX_REDIRECTS} redirects`);
}

function isRedirect({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 300 && statusCode <= 399;
}

/** The cookies of a response, as `name=value`, by name. */
function newCookies({ headers }: IncomingMessage): (readonly [name: string, cookie: string])[] {
  return (headers['set-cookie'] ?? []).flatMap((line) => {
    const cookie = line.split(';', 1)[0]?.trim();
    return cookie ? [[cookie.split('=', 1)[0]?.trim() ?? '', cookie] as const] : [];
  });
}

/** The value of the header `Cookie`. */
function joined(cookies: ReadonlyMap<string, string>): string {
  return [...cookies.values()].join('; ');
}

/** Why a response is refused before its body is read. */
function problemOf(response: IncomingMessage, maxBytes: number): string | undefined {
  const { statusCode = 0, headers } = response;
  if (statusCode === 206 && !isWholeRange(headers['content-range']))
    return 'the server returned only a part of it (206)';
  if (statusCode !== 206 && !WHOLE.includes(statusCode)) return `the server returned ${statusCode}`;
  if (Number(headers['content-length'] ?? 0) > maxBytes) return largerThan(maxBytes);
  if (!DECODERS.has(encodingOf(response)))
    return 'the server sent it in a Content-Encoding other than gzip, deflate and br';
  return undefined;
}

function isWholeRange(range = ''): boolean {
  const [, last, size] = /^bytes 0-(\d+)\/(\d+)$/.exec(range) ?? [];
  return last !== undefined && Number(last) + 1 === Number(size);
}

function encodingOf({ headers }: IncomingMessage): string {
  return headers['content-encoding']?.trim().toLowerCase() || 'identity';
}

function claimedType({ headers }: IncomingMessage): string | undefined {
  const claimed = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  return claimed.length <= MAX_TYPE_LENGTH && MIME_TYPE.test(claimed) ? claimed : undefined;
}

/** Why a connection failed, without details that would disclose a private network. */
function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'the connection failed';
  return /^(Z_|ERR__)/.test(code) ? 'its compressed content is invalid or incomplete' : code;
}

function largerThan(max: number): string {
  return `it is larger than ${max} bytes`;
}

function unavailable(why: string): GatewayError {
  return new GatewayError('media_unavailable', `the media url could not be fetched: ${why}`);
}
