import { type Agent, request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressGuard } from './address-guard.ts';

export interface GuardedRequest {
  readonly guard: AddressGuard;
  /** On whose behalf the host is looked up: see `LookupOwner`. */
  readonly owner: string | undefined;
  readonly headers: OutgoingHttpHeaders;
  /** How long the request and the reading of its response may take: then both fail with a RequestTimeoutError. */
  readonly timeoutMs: number;
  /** Ends the request, and the reading of its response. */
  readonly signal?: AbortSignal | undefined;
  /** Is posted. Without it, the request is a GET. */
  readonly body?: string;
  /** Keeps connections open; each was checked when it was opened. Without it, each request opens its own. */
  readonly agent?: Agent;
}

/** Errors of a kept-alive connection that the server closed at the moment when it was used. */
const STALE_CODES = ['ECONNRESET', 'EPIPE'];

export class RequestTimeoutError extends Error {
  constructor(timeoutMs: number) {
    super(`the request took longer than ${timeoutMs / 1_000} s`);
    this.name = 'RequestTimeoutError';
  }
}

/**
 * Resolves with the response, for the caller to read or destroy. Connects to checked addresses only, never through a
 * proxy, and follows no redirect: a caller that does checks it again with its own request. Rejects with a
 * ForbiddenAddressError, a RequestTimeoutError, or with the error of the connection, whose message may disclose a private
 * network.
 */
export async function guardedRequest(url: URL, options: GuardedRequest): Promise<IncomingMessage> {
  return send(url, options, options.agent ?? false, performance.now() + options.timeoutMs);
}

async function send(url: URL, options: GuardedRequest, agent: Agent | false, endsAt: number): Promise<IncomingMessage> {
  const { guard, owner, headers, timeoutMs, signal, body } = options;
  const over = new AbortController();
  const lookup = guard.lookupFor(url, { owner, signal: over.signal });
  const method = body === undefined ? 'GET' : 'POST';
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    let response: IncomingMessage | undefined;
    const outgoing = request(url, { method, agent, lookup, headers }, (incoming) => {
      response = incoming;
      resolve(incoming);
    });
    const end = (error: Error) => {
      response?.destroy(error);
      outgoing.destroy(error);
    };
    const timer = setTimeout(() => end(new RequestTimeoutError(timeoutMs)), endsAt - performance.now());
    // The option `signal` of a request costs a fifth of a delivery.
    const abort = () => end(Object.assign(new Error('the request was aborted'), { code: 'ABORT_ERR' }));
    signal?.addEventListener('abort', abort, { once: true });
    outgoing.on('close', () => {
      over.abort();
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = !response && outgoing.reusedSocket && STALE_CODES.includes(error.code ?? '');
      if (isStale) resolve(send(url, options, false, endsAt));
      else reject(error);
    });
    outgoing.end(body);
  });
}
