import { Agent as HttpAgent, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { type AddressGuard, ForbiddenAddressError, guardedRequest, RequestTimeoutError } from '@chat-web/outbound';
import { sessionFields } from '../events/feed.ts';
import { openSockets } from '../host/open-files.ts';
import { signedHeaders } from './signature.ts';

/** The outcome of one attempt. Its message contains nothing from the endpoint's response. */
export type Outcome =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed'; readonly message: string }
  /** The endpoint asks not to be called for this long. */
  | { readonly kind: 'put_off'; readonly message: string; readonly waitMs: number }
  /** The endpoint wants no more events. */
  | { readonly kind: 'gone'; readonly message: string };

export interface Delivery {
  readonly id: string;
  readonly type: string;
  readonly session: string | undefined;
  /** Unix time in ms. */
  readonly at: number;
  /** The event's data, as JSON. */
  readonly text: string;
  /** The metadata of the session, as JSON. */
  readonly metadata?: string | undefined;
}

interface Dependencies {
  readonly url: string;
  readonly guard: AddressGuard;
  /** The key that it belongs to; undefined for the operator's. */
  readonly owner: string | undefined;
  /** The current signing secrets: two during a rotation. */
  secrets(): readonly string[];
  readonly userAgent: string;
  /** Headers of its own. */
  readonly headers?: Readonly<Record<string, string>>;
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
  readonly #dependencies: Dependencies;
  readonly #url: URL;
  readonly #agent: HttpAgent;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#url = new URL(dependencies.url);
    const keptOpen = { keepAlive: true, timeout: IDLE_CONNECTION_MS };
    this.#agent = this.#url.protocol === 'https:' ? new HttpsAgent(keptOpen) : new HttpAgent(keptOpen);
  }

  /** Posts an event once. Takes at most 15 s. Rejects only if the signal aborts. */
  async post(delivery: Delivery, signal?: AbortSignal): Promise<Outcome> {
    signal?.throwIfAborted();
    const { guard, owner, secrets, userAgent, headers: own } = this.#dependencies;
    const body = bodyOf(delivery);
    try {
      requireSecure(this.#url, guard);
      const headers = {
        ...own,
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        'User-Agent': userAgent,
        ...signedHeaders(delivery.id, body, secrets(), Date.now()),
      };
      const options = { guard, owner, headers, timeoutMs: TIMEOUT_MS, signal, body, agent: this.#agent };
      const answer = await guardedRequest(this.#url, options);
      discard(answer);
      return outcomeOf(answer);
    } catch (error) {
      signal?.throwIfAborted();
      return failed(reasonOf(error));
    }
  }

  /** How many connections it has. */
  get connections(): number {
    return openSockets(this.#agent);
  }

  close(): void {
    this.#agent.destroy();
  }
}

/**
 * Throws a ForbiddenAddressError for http, unless the operator allows that host: the bodies contain people's messages.
 */
export function requireSecure(url: URL, guard: AddressGuard): void {
  if (url.protocol === 'http:' && !guard.isAllowedByOperator(url))
    throw new ForbiddenAddressError('it is not https; see CHAT_WEB_WEBHOOK_HOSTS');
}

/** The body according to Standard Webhooks, plus the session. */
function bodyOf({ type, at, session, text, metadata }: Delivery): string {
  const whose = sessionFields(session, metadata);
  return `{"type":"${type}","timestamp":"${new Date(at).toISOString()}",${whose}"data":${text}}`;
}

function outcomeOf({ statusCode = 0, headers }: IncomingMessage): Outcome {
  const message = `the endpoint returned ${statusCode}`;
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
  answer.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > MAX_ANSWER_BYTES) answer.destroy();
  });
  answer.on('error', () => {});
}

function failed(message: string): Outcome {
  return { kind: 'failed', message };
}

/** Why a connection failed, without details that would reveal a private network. */
function reasonOf(error: unknown): string {
  if (error instanceof RequestTimeoutError) return `no response within ${TIMEOUT_MS / 1_000} s`;
  if (error instanceof ForbiddenAddressError) return `the url is not allowed: ${error.message}`;
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  return code === undefined ? 'the connection failed' : `the connection failed (${code})`;
}
