import { type LookupAddress, lookup } from 'node:dns';
import { open } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GatewayError, MIME_TYPE } from '@chat-web/protocol';
import type { FetchLimits } from '../client/port.ts';
import { mayBeReached, type Range, rangesIn } from './public-address.ts';

const MOST_REDIRECTS = 5;

/** Ports below belong to other protocols than HTTP, but for its own two. */
const FIRST_FREE_PORT = 1_024;
const HTTP_PORTS = [80, 443];

/** Characters; as long as a caller may write it. */
const LONGEST_TYPE = 100;

/** A file that was fetched; the type is what its server claims, where that is one. */
export interface RemoteFile {
  readonly size: number;
  readonly mimeType: string | undefined;
}

/** Finds all addresses of a host, as `dns.lookup` does. */
export type Resolver = (
  host: string,
  options: { readonly all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Fetches a URL into a file that is not there yet. Only the public internet is fetched from, and the hosts and ranges
 * that the operator has named. Each redirect is judged anew, and so is each name, by the very addresses that are
 * connected to: a name that also has an address inside is refused. `add` is called with the size of each chunk before it
 * is written; it may throw. Rejects with `media_unavailable`, or with what `add` has thrown.
 */
export async function fetchToFile(
  url: string,
  path: string,
  limits: FetchLimits,
  add: (bytes: number) => void,
  resolver: Resolver = lookup,
): Promise<RemoteFile> {
  const signal = AbortSignal.timeout(limits.timeoutMs);
  const { maxBytes, allowedHosts } = limits;
  const fetch = { maxBytes, hosts: allowedHosts.map(canonicalHost), ranges: rangesIn(allowedHosts), resolver, signal };
  try {
    const response = await follow(new URL(url), fetch);
    const counter = new ByteLimit(maxBytes, add);
    // Opened first: a stream that opens it by itself may do so after all has failed, and the file was removed.
    const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
      response.destroy();
      throw error;
    });
    await pipeline(response, counter, file.createWriteStream(), { signal });
    return { size: counter.size, mimeType: claimedType(response) };
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw unavailable(signal.aborted ? `it took longer than ${limits.timeoutMs / 1_000} s` : reasonOf(error));
  }
}

/** What holds for one fetch, however often it is redirected. */
interface Fetch {
  readonly maxBytes: number;
  /** Hosts, or hosts and ports, that the operator has named. */
  readonly hosts: readonly string[];
  readonly ranges: readonly Range[];
  readonly resolver: Resolver;
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
      throw unavailable(`its server answered ${statusCode}`);
    url = new URL(headers.location, url);
  }
  throw unavailable(`it redirects more than ${MOST_REDIRECTS} times`);
}

/** Why an answer is not taken, before a byte of it is read. */
function problemOf(headers: IncomingMessage['headers'], maxBytes: number): string | undefined {
  if (Number(headers['content-length'] ?? 0) > maxBytes) return largerThan(maxBytes);
  // Nobody asked for it, and a few bytes of it may unfold to any number.
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') return 'its server sent it compressed';
  return undefined;
}

function claimedType({ headers }: IncomingMessage): string | undefined {
  const claimed = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  return claimed.length <= LONGEST_TYPE && MIME_TYPE.test(claimed) ? claimed : undefined;
}

function get(url: URL, { hosts, ranges, resolver, signal }: Fetch): Promise<IncomingMessage> {
  const { isNamed, port } = destinationOf(url, hosts);
  if (!isNamed && port < FIRST_FREE_PORT && !HTTP_PORTS.includes(port))
    throw unavailable(`port ${port} is for another protocol`);
  const judged = isNamed ? resolver : judging(resolver, ranges);
  const address = url.hostname.replace(/^\[|\]$/g, '');
  // Node asks no resolver about an address.
  if (isIP(address) !== 0 && !isNamed && !mayBeReached(address, ranges)) throw notPublic();
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const headers = { 'User-Agent': 'chat-web', Accept: '*/*', 'Accept-Encoding': 'identity' };
    // A connection for itself: none that was judged for another request is used again.
    const outgoing = request(url, { agent: false, lookup: asLookup(judged), headers, signal }, resolve);
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** Where a URL leads, and whether the operator has named that host. Throws for a URL that is not fetched at all. */
function destinationOf(url: URL, named: readonly string[]): { readonly isNamed: boolean; readonly port: number } {
  const { protocol, hostname, username, password } = url;
  if (protocol !== 'https:' && protocol !== 'http:') throw unavailable('only http and https are fetched');
  if (username || password) throw unavailable('it holds a user name or a password');
  const port = Number(url.port || (protocol === 'https:' ? 443 : 80));
  return { isNamed: named.includes(hostname) || named.includes(`${hostname}:${port}`), port };
}

/** A host, or host and port, in the only spelling that a parsed URL has for it; the port is kept as it is. */
function canonicalHost(entry: string): string {
  const [, host = entry, port = ''] = /^(\[.*\]|[^:]*)(:\d+)?$/.exec(entry) ?? [];
  return URL.canParse(`http://${host}/`) ? `${new URL(`http://${host}/`).hostname}${port}` : entry;
}

/** A resolver that fails for a host with an address that may not be connected to. */
function judging(resolver: Resolver, ranges: readonly Range[]): Resolver {
  return (host, options, done) =>
    resolver(host, options, (error, addresses) => {
      const isRefused = !error && addresses.some(({ address }) => !mayBeReached(address, ranges));
      done(isRefused ? notPublic() : error, addresses);
    });
}

/** The resolver in the form in which a socket asks for its addresses, all or one. */
function asLookup(resolver: Resolver): LookupFunction {
  return (host, options, done) =>
    resolver(host, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !first) done(error ?? new Error('the name has no address'), '');
      else if (options.all) done(null, addresses);
      else done(null, first.address, first.family);
    });
}

/** Why a connection failed, without what an address inside would tell of its network. */
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

function notPublic(): GatewayError {
  return unavailable('its address is not on the public internet');
}

function unavailable(why: string): GatewayError {
  return new GatewayError('media_unavailable', `the media url could not be fetched: ${why}`);
}
