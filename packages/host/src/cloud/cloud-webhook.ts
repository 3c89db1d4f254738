import { Lanes, MB, withDeadline } from '@chat-web/protocol';
import { refused, serviceUnavailable, wrongMethod } from '../inbound/answers.ts';
import { BodyReader, parsedJson } from '../inbound/body-reader.ts';
import { reportError, withoutThrowing } from '../inbound/callbacks.ts';
import { HmacKeys, SecretComparison, utf8Bytes } from '../inbound/hmac.ts';
import { memorySeenStore, Once, type SeenStore } from '../inbound/once.ts';
import { type CloudEvent, type CloudEventName, cloudEventsOf } from './cloud-events.ts';

/** A callback for each event that you want, by name; `other` receives events that this version does not know. */
export type CloudHandlers = { readonly [N in CloudEventName]?: (event: CloudEvent<N>) => unknown } & {
  /** Receives the events without a handler of their own. */
  readonly any?: (event: CloudEvent) => unknown;
};

export interface CloudWebhookOptions {
  /** The verify token that you entered at the provider. Without it, every handshake is refused. */
  readonly verifyToken?: string | undefined;
  /** The app secret, or several during a rotation. Without it, every delivery is refused with 503. */
  readonly appSecret?: string | readonly string[] | undefined;
  /** False accepts deliveries from anyone: only for diagnosis. */
  readonly verifySignature?: boolean | undefined;
  /** Called for each event with its name. Its promise is awaited before the next event of the same conversation. */
  readonly handlers?: CloudHandlers | undefined;
  /** Called for each event, after its handler. */
  readonly onEvent?: ((event: CloudEvent) => unknown) | undefined;
  /**
   * Answers a delivery only after its handlers, with 500 if one failed, so that the provider repeats it: nothing is
   * lost if the process exits, but handlers must finish within seconds. Default: false, which answers at once.
   */
  readonly answerAfterHandlers?: boolean | undefined;
  /** The ids of handled events; by default in memory, for 24 hours. */
  readonly seen?: SeenStore | undefined;
  /** The path of `fetch`. */
  readonly path?: string | undefined;
  /** The largest delivery, in bytes; the provider sends up to 3 MB. Default: 4 MB. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * The maximum size of deliveries, in bytes, that wait for handlers, or are held by handlers that timed out; above it,
   * a delivery is answered with 503. Default: 32 MB.
   */
  readonly maxWaitingBytes?: number | undefined;
  /** How many conversations are handled at the same time; events within one keep their order. Default: 8. */
  readonly concurrency?: number | undefined;
  /**
   * A handler that takes longer counts as failed, and the next event is handled while it continues. Default: 60,000.
   */
  readonly handlerTimeoutMs?: number | undefined;
  /**
   * For platforms that stop a process after the response: receives a promise that lasts until the delivery is handled.
   */
  readonly waitUntil?: ((promise: Promise<void>) => void) | undefined;
  /**
   * Called with each handler error and its event, and at the start if a setting is missing. Default: `console.error`.
   */
  readonly onError?: ((error: unknown, event?: CloudEvent) => void) | undefined;
  /** Called with warnings about security risks. Default: `console.warn`. */
  readonly onWarning?: ((text: string) => void) | undefined;
}

/** The handler of the provider's deliveries. */
export interface CloudWebhook {
  /**
   * Answers a request; 404 for any path but `path`. Never rejects. `adapter`: what `@hono/node-server` passes beside the
   * request, for the sender's address.
   */
  fetch(request: Request, adapter?: unknown): Promise<Response>;
  /** Answers a request whatever its path, for a router that has matched it. */
  handle(request: Request, adapter?: unknown): Promise<Response>;
  /** Resolves when all accepted deliveries are handled, or have timed out. */
  idle(): Promise<void>;
  /** Answers new deliveries with 503, and resolves when all accepted ones are handled. */
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 4 * MB;
const MAX_WAITING_BYTES = 32 * MB;
const CONCURRENCY = 8;
const HANDLER_TIMEOUT_MS = 60_000;

/**
 * Receives the webhooks of the provider's cloud: the handshake (GET) and deliveries (POST) at `/webhooks/chat`.
 * Verifies the signature over the raw bytes, answers at once, and then handles the events: each once, in order per
 * conversation. Throws a TypeError for invalid options.
 *
 * @example
 * const webhook = createCloudWebhook({
 *   verifyToken: 'what you entered at the provider',
 *   appSecret: process.env.CHAT_APP_SECRET,
 *   handlers: {
 *     message: async ({ message }) => {
 *       if (message.type === 'text') console.log(message.from, message.text.body);
 *     },
 *   },
 * });
 * export const GET = webhook.handle; // Next; see docs/cloud-webhooks.md for Hono, Express and Fastify.
 * export const POST = webhook.handle;
 */
export function createCloudWebhook(options: CloudWebhookOptions): CloudWebhook {
  const { path = '/webhooks/chat' } = options;
  const receiver = new Receiver(options);
  const handle = (request: Request, adapter?: unknown) => receiver.answer(request, adapter);
  return {
    fetch: async (request, adapter) =>
      new URL(request.url).pathname === path
        ? handle(request, adapter)
        : refused(404, 'route_not_found', 'there is no such route'),
    handle,
    idle: () => receiver.idle(),
    close: () => receiver.close(),
  };
}

class Receiver {
  readonly #options: CloudWebhookOptions;
  readonly #verifyToken: SecretComparison | undefined;
  readonly #keys: HmacKeys | undefined;
  readonly #verifies: boolean;
  readonly #bodies: BodyReader;
  readonly #once: Once;
  readonly #lanes: Lanes;
  readonly #maxWaiting: number;
  readonly #deliveries = new Set<Promise<boolean>>();
  /** Settles when the previous delivery is in the queue, which keeps the order of acceptance. */
  #queued: Promise<unknown> = Promise.resolve();
  #waitingBytes = 0;
  #isClosed = false;

  constructor(options: CloudWebhookOptions) {
    const { verifyToken, appSecret, verifySignature = true, concurrency = CONCURRENCY } = options;
    if (!(Number.isSafeInteger(concurrency) && concurrency > 0)) throw new TypeError('concurrency must be at least 1');
    this.#options = options;
    this.#verifyToken = verifyToken?.trim() ? new SecretComparison(verifyToken) : undefined;
    const secrets = secretsOf(appSecret);
    this.#keys = secrets.length > 0 ? new HmacKeys(secrets.map(utf8Bytes)) : undefined;
    this.#verifies = verifySignature;
    this.#bodies = new BodyReader(options.maxBodyBytes ?? MAX_BODY_BYTES, (error) => this.#fail(error));
    this.#once = new Once(options.seen ?? memorySeenStore(), (error) => this.#fail(error));
    this.#lanes = new Lanes({ concurrency, signal: new AbortController().signal });
    this.#maxWaiting = options.maxWaitingBytes ?? MAX_WAITING_BYTES;
    this.#reportSettings();
  }

  #reportSettings(): void {
    if (!this.#verifies) {
      this.#warn('signatures of webhooks are not verified: anyone can send them (CHAT_VERIFY_SIGNATURE=false)');
    } else if (!this.#keys) {
      this.#fail(new Error('no app secret is set: each delivery is refused with 503; set CHAT_APP_SECRET'));
    }
    if (!this.#verifyToken) {
      this.#warn('no verify token is set: the handshake is refused; set CHAT_VERIFY_TOKEN');
    }
  }

  async answer(request: Request, adapter: unknown): Promise<Response> {
    try {
      if (request.method === 'GET') return await this.#handshake(new URL(request.url).searchParams);
      if (request.method === 'POST') return await this.#delivery(request, adapter);
      return wrongMethod('GET', 'POST');
    } catch (error) {
      this.#fail(error);
      return refused(500, 'internal_error', 'the webhook could not be handled');
    }
  }

  async #handshake(query: URLSearchParams): Promise<Response> {
    const challenge = query.get('hub.challenge');
    const token = query.get('hub.verify_token');
    const isRight = token !== null && (await this.#verifyToken?.matches(token)) === true;
    // No browser may interpret it as another type.
    const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' };
    if (isRight && challenge && query.get('hub.mode') === 'subscribe') return new Response(challenge, { headers });
    return refused(403, 'forbidden', 'the handshake is not valid: check the verify token');
  }

  async #delivery(request: Request, adapter: unknown): Promise<Response> {
    if (this.#isClosed) return serviceUnavailable('shutting_down', 'the application is stopping');
    if (this.#verifies && !this.#keys) return serviceUnavailable('not_configured', 'no app secret is set');
    const signature = signatureIn(request.headers.get('X-Hub-Signature-256'));
    if (this.#verifies && !signature) return wrongSignature();
    const body = await this.#bodies.read(request, adapter);
    if (body instanceof Response) return body;
    if (!this.#verifies) this.#warn('a webhook was accepted without its signature being verified');
    else if (!signature || !(await this.#keys?.verify([signature], body))) return wrongSignature();
    return this.#accept(body);
  }

  async #accept(body: Uint8Array<ArrayBuffer>): Promise<Response> {
    const parsed = parsedJson(body);
    if (parsed === undefined) return refused(400, 'invalid_request', 'the body is not JSON');
    const size = body.byteLength;
    // A single delivery is always accepted, however large it is.
    if (this.#waitingBytes > 0 && this.#waitingBytes + size > this.#maxWaiting) {
      return serviceUnavailable('insufficient_resources', 'too many deliveries are waiting');
    }
    this.#waitingBytes += size;
    const handled: Promise<void>[] = [];
    const delivery = this.#dispatch(parsed, handled);
    this.#deliveries.add(delivery);
    const over = delivery.then(() => void this.#deliveries.delete(delivery));
    // A handler that timed out still holds its event.
    void over
      .then(() => Promise.allSettled(handled))
      .then(() => {
        this.#waitingBytes -= size;
      });
    withoutThrowing(() => this.#options.waitUntil?.(over));
    if (!this.#options.answerAfterHandlers) return new Response(null, { status: 200 });
    const allWell = await delivery;
    return allWell ? new Response(null, { status: 200 }) : refused(500, 'internal_error', 'a handler failed');
  }

  /** Resolves with false if one of the events has failed; does not reject. */
  async #dispatch(body: unknown, handled: Promise<void>[]): Promise<boolean> {
    const queueing = Promise.all([this.#queued, afterTheAnswer()]).then(() => this.#queueEvents(body, handled));
    this.#queued = queueing.catch(() => {}); // A failure must not affect the next delivery.
    try {
      return (await Promise.all(await queueing)).every(Boolean);
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  async #queueEvents(body: unknown, handled: Promise<void>[]): Promise<readonly Promise<boolean>[]> {
    const events = await cloudEventsOf(body);
    return events.map(
      (event) =>
        new Promise((resolve) => {
          const attempt = async () => {
            resolve(await this.#dispatchOne(event, handled));
            return undefined;
          };
          this.#lanes.push(laneOf(event), { attempt, length: 0 });
        }),
    );
  }

  async #dispatchOne(event: CloudEvent, handled: Promise<void>[]): Promise<boolean> {
    const timeoutMs = this.#options.handlerTimeoutMs ?? HANDLER_TIMEOUT_MS;
    try {
      const work = this.#once.run(event.id, () => this.#callHandlers(event));
      handled.push(work);
      await withDeadline(work, timeoutMs, () => {
        throw new Error(`a handler of ${event.name} took longer than ${timeoutMs} ms`);
      });
      return true;
    } catch (error) {
      this.#fail(error, event);
      return false;
    }
  }

  async #callHandlers(event: CloudEvent): Promise<void> {
    const { handlers, onEvent } = this.#options;
    const handler = (handlers?.[event.name] ?? handlers?.any) as ((event: CloudEvent) => unknown) | undefined;
    await handler?.(event);
    await onEvent?.(event);
  }

  #fail(error: unknown, event?: CloudEvent): void {
    reportError(this.#options.onError, error, event);
  }

  #warn(text: string): void {
    const { onWarning = (line) => console.warn(`webhooks: ${line}`) } = this.#options;
    withoutThrowing(() => onWarning(text));
  }

  async idle(): Promise<void> {
    while (this.#deliveries.size > 0) await Promise.all(this.#deliveries);
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.idle();
  }
}

function wrongSignature(): Response {
  return refused(401, 'unauthorized', 'the signature is missing, malformed or wrong');
}

/** Blank counts as absent: an empty key would accept what anyone signs. */
function secretsOf(secrets: string | readonly string[] | undefined): readonly string[] {
  return [secrets ?? []].flat().filter((secret) => secret.trim() !== '');
}

/** Events of one conversation share a lane; all other events of an account share another. */
function laneOf(event: CloudEvent): string {
  return [event.accountId, event.phoneNumberId, personOf(event)].join(' ');
}

function personOf(event: CloudEvent): string | null | undefined {
  switch (event.name) {
    case 'message':
      return event.message.group_id ?? event.message.from ?? event.message.from_user_id;
    case 'message_echo':
      return event.message.to ?? event.message.to_user_id;
    case 'status':
      return event.status.recipient_id ?? event.status.recipient_user_id;
    default:
      return undefined;
  }
}

/** Lets the response be sent before the first handler uses the processor. */
function afterTheAnswer(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** The bytes of `sha256=<hex>`; undefined if the header is absent, malformed, repeated or of another algorithm. */
function signatureIn(header: string | null): Uint8Array<ArrayBuffer> | undefined {
  const [, hex] = /^sha256=([0-9a-fA-F]{64})$/.exec(header ?? '') ?? [];
  if (hex === undefined) return undefined;
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

/** Settings by name, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

const YES = ['true', '1', 'yes'];
const NO = ['false', '0', 'no'];

/**
 * `createCloudWebhook` with `CHAT_VERIFY_TOKEN`, `CHAT_APP_SECRET` (several, with commas, while it is replaced) and
 * `CHAT_VERIFY_SIGNATURE` (default true; true, false, 1, 0, yes or no). Throws an Error that names a setting with a bad
 * value.
 *
 * @example
 * const webhook = cloudWebhookFromEnv(process.env, { onEvent: (event) => console.log(event.name) });
 */
export function cloudWebhookFromEnv(
  environment: Environment,
  options: Omit<CloudWebhookOptions, 'verifyToken' | 'appSecret' | 'verifySignature'> = {},
): CloudWebhook {
  return createCloudWebhook({
    ...options,
    verifyToken: environment.CHAT_VERIFY_TOKEN,
    appSecret: (environment.CHAT_APP_SECRET ?? '').split(',').map((secret) => secret.trim()),
    verifySignature: yesOrNo('CHAT_VERIFY_SIGNATURE', environment.CHAT_VERIFY_SIGNATURE),
  });
}

function yesOrNo(name: string, written: string | undefined): boolean {
  const value = written?.trim().toLowerCase() || 'true'; // Empty counts as unset.
  if (YES.includes(value)) return true;
  if (NO.includes(value)) return false;
  throw new Error(`${name} must be true, false, 1, 0, yes or no`);
}
