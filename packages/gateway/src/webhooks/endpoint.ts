import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { type AddressGuard, ForbiddenAddressError } from '@chat-web/outbound';
import { signedHeaders } from './signature.ts';

/** The outcome of one attempt. Its message contains nothing from the endpoint's response. */
export type Outcome =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed'; readonly message: string }
  /** The endpoint asks not to be called for this long. */
  | { readonly kind: 'put_off'; readonly message: string; readonly waitMs: number }
  /** The endpoint wants no more events. */
  | { readonly kind: 'gone'; readonly message: string };

/** An event to post to an endpoint. */
export interface Delivery {
  /** The id of the event. */
  readonly id: string;
  readonly type: string;
  readonly session: string | undefined;
  /** Unix time in ms. */
  readonly at: number;
  /** The event's data, as JSON. */
  readonly text: string;
}

/** Where events are posted to. */
export interface EndpointOptions {
  readonly url: string;
  readonly guard: AddressGuard;
  /** The current signing secrets: two during a rotation. */
  secrets(): readonly string[];
  readonly userAgent: string;
}

const TIMEOUT_MS = 15_000;
/** The most of a response that is read; the connection is closed then. */
const MAX_ANSWER_BYTES = 65_536;
const IDLE_CONNECTION_MS = 30_000;
/** The accepted range of `Retry-After`; other values are clamped. */
const MIN_PUT_OFF_MS = 1_000;
const MAX_PUT_OFF_MS = 24 * 60 * 60_000;
const DEFAULT_PUT_OFF_MS = 60_000;

/** An endpoint of an application. Connections are kept alive; each was checked when it was opened. */
export class Endpoint {
  readonly #options: EndpointOptions;
  readonly #url: URL;
  readonly #agent: HttpAgent;

  constructor(options: EndpointOptions) {
    this.#options = options;
    this.#url = new URL(options.url);
    const keptOpen = { keepAlive: true, timeout: IDLE_CONNECTION_MS };
    this.#agent = this.#isSecure ? new HttpsAgent(keptOpen) : new HttpAgent(keptOpen);
  }

  get #isSecure(): boolean {
    return this.#url.protocol === 'https:';
  }

  /** Posts an event once. Takes at most 15 s. Rejects only if the signal aborts. */
  async post(delivery: Delivery, signal: AbortSignal): Promise<Outcome> {
    const body = bodyOf(delivery);
    const endsAt = performance.now() + TIMEOUT_MS;
    const first = await this.#attempt(delivery.id, body, signal, { endsAt, reuses: true });
    // The endpoint closed a kept-alive connection at the moment when it was used.
    const outcome =
      first === 'stale' ? await this.#attempt(delivery.id, body, signal, { endsAt, reuses: false }) : first;
    return outcome === 'stale' ? failed('the connection was closed') : outcome;
  }

  #attempt(
    id: string,
    body: string,
    signal: AbortSignal,
    { endsAt, reuses }: { readonly endsAt: number; readonly reuses: boolean },
  ): Promise<Outcome | 'stale'> {
    const { guard, secrets, userAgent } = this.#options;
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        outgoing?.destroy();
        reject(signal.reason);
      };
      const late = setTimeout(() => {
        settle(failed(`no answer within ${TIMEOUT_MS / 1_000} s`));
        outgoing?.destroy();
      }, endsAt - performance.now());
      const settle = (outcome: Outcome | 'stale') => {
        clearTimeout(late);
        signal.removeEventListener('abort', giveUp);
        resolve(outcome);
      };
      let outgoing: ReturnType<typeof httpRequest> | undefined;
      try {
        requireSecure(this.#url, guard);
        const options: RequestOptions = {
          method: 'POST',
          agent: reuses ? this.#agent : false,
          lookup: guard.lookupFor(this.#url),
          headers: {
            'Content-Type': 'application/json',
            'Content-Length': Buffer.byteLength(body),
            'User-Agent': userAgent,
            ...signedHeaders(id, body, secrets(), Date.now()),
          },
        };
        signal.throwIfAborted();
        signal.addEventListener('abort', giveUp, { once: true });
        outgoing = (this.#isSecure ? httpsRequest : httpRequest)(this.#url, options, (answer) => {
          discard(answer);
          settle(outcomeOf(answer));
        });
        outgoing.on('error', (error: NodeJS.ErrnoException) => {
          const isStale = outgoing?.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(error.code ?? '');
          settle(isStale ? 'stale' : failed(reasonOf(error)));
        });
        outgoing.end(body);
      } catch (error) {
        clearTimeout(late);
        if (signal.aborted) reject(error);
        else resolve(failed(reasonOf(error)));
      }
    });
  }

  /** Closes the connections. */
  close(): void {
    this.#agent.destroy();
  }
}

/**
 * Throws a ForbiddenAddressError for http, unless the operator allows that host: the bodies contain people's messages.
 */
export function requireSecure(url: URL, guard: AddressGuard): void {
  if (url.protocol === 'http:' && !guard.isOperators(url))
    throw new ForbiddenAddressError('it is not https; see CHAT_WEB_WEBHOOK_HOSTS');
}

/** The body according to Standard Webhooks, plus the session. */
function bodyOf({ type, at, session, text }: Delivery): string {
  const whose = session === undefined ? '' : `"session":${JSON.stringify(session)},`;
  return `{"type":"${type}","timestamp":"${new Date(at).toISOString()}",${whose}"data":${text}}`;
}

function outcomeOf({ statusCode = 0, headers }: IncomingMessage): Outcome {
  const message = `the endpoint answered ${statusCode}`;
  if (statusCode >= 200 && statusCode <= 299) return { kind: 'delivered' };
  if (statusCode === 410) return { kind: 'gone', message };
  if (statusCode >= 300 && statusCode <= 399) return failed(`${message}: redirects are not followed`);
  const asked = retryAfterMs(headers['retry-after']);
  if (statusCode === 429 || (statusCode === 503 && asked !== undefined))
    return { kind: 'put_off', message, waitMs: asked ?? DEFAULT_PUT_OFF_MS };
  return failed(message);
}

/** Seconds, or a date. */
function retryAfterMs(written: string | undefined): number | undefined {
  if (written === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(written) ? Number(written) * 1_000 : Date.parse(written) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, MIN_PUT_OFF_MS), MAX_PUT_OFF_MS);
}

function discard(answer: IncomingMessage): void {
  let bytes = 0;
  const late = setTimeout(() => answer.destroy(), TIMEOUT_MS);
  answer.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > MAX_ANSWER_BYTES) answer.destroy();
  });
  answer.on('error', () => {});
  answer.on('close', () => clearTimeout(late));
}

function failed(message: string): Outcome {
  return { kind: 'failed', message };
}

/** Why a connection failed, without details that would reveal a private network. */
function reasonOf(error: unknown): string {
  if (error instanceof ForbiddenAddressError) return `the url must not be connected to: ${error.message}`;
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  return code === undefined ? 'the connection failed' : `the connection failed (${code})`;
}
