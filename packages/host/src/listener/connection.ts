import { answeredError, GatewayError, pause, unlessAborted } from '@chat-web/protocol';
import { jsonOf } from '../json-of.ts';
import { type Backoff, requestedBackoffMs } from '../retry.ts';
import { AddressError, ask, type GatewayAddress } from '../transport.ts';
import { type Frame, readFrames } from './frames.ts';

export interface ConnectionTiming {
  readonly reconnect: Backoff;
  /** How long the gateway may take to respond. */
  readonly answerMs: number;
  /** The gateway sends a comment every 30 s: a connection without one is dead. */
  readonly silenceMs: number;
  /** A connection that lasted this long was good: the next failure is the first in a row. */
  readonly goodAfterMs: number;
}

/** Why a connection ended, and when the next one follows. */
export interface Disconnect {
  /** The cause: a GatewayError if the gateway has responded. Undefined: the gateway ended the stream. */
  readonly error: unknown;
  /** How many attempts in a row have failed: 0 after a good connection. */
  readonly failures: number;
  readonly retryInMs: number;
}

export interface ConnectionOptions {
  readonly path: string;
  /** Where to begin; undefined: with new events. */
  readonly after: string | undefined;
  /** Wait for a session that does not exist. */
  readonly waitForSession: boolean;
  readonly timing: ConnectionTiming;
  readonly signal: AbortSignal;
  onConnect(): void;
  onDisconnect(disconnect: Disconnect): void;
}

/** Statuses below 500 that are worth another attempt: too slow, too early, too much. */
const WORTH_ANOTHER = [408, 425, 429];

/** A response that the next attempt would get again. */
class FinalError extends Error {
  readonly reason: GatewayError;

  constructor(reason: GatewayError) {
    super(reason.message);
    this.reason = reason;
  }
}

/**
 * Yields the gateway's frames across as many connections as needed: each resumes after the last frame of the previous
 * one. Ends when the signal aborts; throws the gateway's error if another attempt would not help.
 */
export async function* follow(address: GatewayAddress, options: ConnectionOptions): AsyncGenerator<Frame> {
  const { signal, timing, onConnect, onDisconnect } = options;
  let { after } = options;
  for (let failures = 0; !signal.aborted; ) {
    const attempt = new AbortController();
    const abort = () => attempt.abort();
    signal.addEventListener('abort', abort);
    let error: unknown;
    let connectedAt: number | undefined;
    try {
      const body = await open(address, options, after, attempt);
      connectedAt = performance.now();
      onConnect();
      for await (const frame of readFrames(body, { silenceMs: timing.silenceMs, signal: attempt.signal })) {
        if (frame.kind === 'event') failures = 0;
        // The start of a stream is known, except for the first one; a gap may still follow.
        else if (frame.isFirst && after !== undefined) continue;
        after = frame.id ?? after;
        yield frame;
      }
    } catch (thrown) {
      if (signal.aborted) return;
      if (thrown instanceof FinalError) throw thrown.reason;
      error = thrown;
    } finally {
      signal.removeEventListener('abort', abort);
      attempt.abort();
    }
    if (signal.aborted) return;
    if (connectedAt !== undefined && performance.now() - connectedAt >= timing.goodAfterMs) failures = 0;
    const requestedSeconds = error instanceof GatewayError ? error.retryAfterSeconds : undefined;
    const retryInMs = requestedBackoffMs(timing.reconnect, failures + 1, requestedSeconds);
    onDisconnect({ error, failures, retryInMs });
    failures += 1;
    await pause(retryInMs, signal);
  }
}

async function open(
  address: GatewayAddress,
  { path, timing, waitForSession }: ConnectionOptions,
  after: string | undefined,
  attempt: AbortController,
): Promise<ReadableStream<Uint8Array>> {
  const headers = { Accept: 'text/event-stream', ...(after === undefined ? {} : { 'Last-Event-ID': after }) };
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    attempt.abort();
  }, timing.answerMs);
  try {
    const { signal } = attempt;
    const answering = ask(address, path, { headers, signal });
    const response = await unlessAborted(answering, signal, () => undefined);
    if (!response) {
      // A fetch that ignores its signal may still resolve: without a reader, the response would stay open.
      answering.then(({ body }) => body?.cancel()).catch(() => {});
      throw new Error('the connection was given up');
    }
    const { status, body } = response;
    const type = response.headers.get('Content-Type') ?? '';
    if (status === 200 && body && /^text\/event-stream\b/i.test(type)) return body;
    if (response.ok)
      throw new Error(`the server is not a gateway: status ${status} and no event stream; check the url`);
    const isJson = /^application\/json\b/i.test(type);
    const error = answeredError('events', response, isJson ? await jsonOf(response).catch(() => undefined) : undefined);
    // A proxy's response while the gateway is away has none of our codes.
    const isFinal = error.code !== 'internal_error' && status >= 400 && status < 500 && !WORTH_ANOTHER.includes(status);
    if (isFinal && !(waitForSession && error.code === 'session_not_found')) throw new FinalError(error);
    throw error;
  } catch (error) {
    if (error instanceof AddressError) throw new FinalError(error.toGatewayError());
    throw isLate ? new Error(`the gateway did not respond within ${timing.answerMs / 1_000} s`) : error;
  } finally {
    clearTimeout(timer);
  }
}
