import { createWriteStream } from 'node:fs';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorText, GatewayError } from '@chat-web/protocol';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import type { FetchLimits } from '../client/port.ts';

const MOST_REDIRECTS = 5;

/** A file that was fetched; the type is what its server claims. */
export interface RemoteFile {
  readonly size: number;
  readonly mimeType: string | undefined;
}

/**
 * Fetches a URL into a file. Every address that a name resolves to is judged when the connection is made, at every
 * redirect anew: only the public internet is fetched from, and the hosts that the operator has named. Rejects with
 * `media_unavailable`.
 */
export async function fetchToFile(url: string, path: string, limits: FetchLimits): Promise<RemoteFile> {
  const signal = AbortSignal.timeout(limits.timeoutMs);
  try {
    const response = await follow(new URL(url), limits, signal);
    const counter = new ByteLimit(limits.maxBytes);
    await pipeline(response, counter, createWriteStream(path, { mode: 0o600 }), { signal });
    return { size: counter.size, mimeType: response.headers['content-type']?.split(';')[0]?.trim() };
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw unavailable(signal.aborted ? `it took longer than ${limits.timeoutMs / 1_000} s` : reasonOf(error));
  }
}

async function follow(start: URL, limits: FetchLimits, signal: AbortSignal): Promise<IncomingMessage> {
  let url = start;
  for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
    const response = await get(url, limits.allowedHosts, signal);
    const { statusCode = 0, headers } = response;
    if (statusCode === 200) {
      if (Number(headers['content-length'] ?? 0) <= limits.maxBytes) return response;
      response.destroy();
      throw tooLarge(limits.maxBytes);
    }
    response.destroy();
    if (statusCode < 300 || statusCode > 399 || !headers.location)
      throw unavailable(`its server answered ${statusCode}`);
    url = new URL(headers.location, url);
  }
  throw unavailable(`it redirects more than ${MOST_REDIRECTS} times`);
}

function get(url: URL, allowedHosts: readonly string[], signal: AbortSignal): Promise<IncomingMessage> {
  const isSecure = url.protocol === 'https:';
  if (!isSecure && url.protocol !== 'http:') throw unavailable('only http and https are fetched');
  const request = isSecure ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const headers = { 'User-Agent': 'chat-web', Accept: '*/*', 'Accept-Encoding': 'identity' };
    const outgoing = request(url, { agent: agentFor(url, allowedHosts), headers, signal }, resolve);
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** An agent that connects to public addresses alone, unless the operator has named this host, or ranges of addresses. */
function agentFor(url: URL, allowedHosts: readonly string[]): HttpAgent | HttpsAgent {
  const isSecure = url.protocol === 'https:';
  const port = url.port || (isSecure ? '443' : '80');
  const host = url.hostname.toLowerCase();
  if (allowedHosts.includes(host) || allowedHosts.includes(`${host}:${port}`)) {
    return isSecure ? new HttpsAgent() : new HttpAgent();
  }
  const options = {
    allowIPAddressList: allowedHosts.filter((entry) => entry.includes('/')),
    denyIPAddressList: ['::/96'], // IPv4 in disguise, by a form that is not in use any more.
  };
  return isSecure ? new RequestFilteringHttpsAgent(options) : new RequestFilteringHttpAgent(options);
}

/** Why a connection failed, without what an address inside would tell of its network. */
function reasonOf(error: unknown): string {
  if (/is not allowed/i.test(errorText(error))) return 'its address is not on the public internet';
  return error instanceof Error && 'code' in error ? String(error.code) : 'the connection failed';
}

class ByteLimit extends Transform {
  size = 0;
  readonly #most: number;

  constructor(most: number) {
    super();
    this.#most = most;
  }

  override _transform(chunk: Buffer, _encoding: string, done: (error?: Error | null, chunk?: Buffer) => void): void {
    this.size += chunk.length;
    if (this.size > this.#most) done(tooLarge(this.#most));
    else done(null, chunk);
  }
}

function tooLarge(most: number): GatewayError {
  return unavailable(`it is larger than ${most} bytes`);
}

function unavailable(why: string): GatewayError {
  return new GatewayError('media_unavailable', `the media url could not be fetched: ${why}`);
}
