import { type EventName, GatewayError, withDeadline } from '@chat-web/protocol';
import { refused, serviceUnavailable, wrongMethod } from '../inbound/answers.ts';
import { BodyReader, parsedJson } from '../inbound/body-reader.ts';
import { reportError } from '../inbound/callbacks.ts';
import { utf8Bytes } from '../inbound/hmac.ts';
import { memorySeenStore, Once, type SeenStore } from '../inbound/once.ts';
import { isUnreadable, type WebhookEvent, webhookEventOf } from './webhook-event.ts';
import { WebhookSignatures } from './webhook-signatures.ts';

/**
 * A callback for each event that you want, by name; `other` receives events that this version does not know. The
 * handlers of a listener fit, too.
 */
export type WebhookHandlers = { readonly [N in EventName | 'other']?: (event: WebhookEvent<N>) => unknown } & {
  /** Receives the events without a handler of their own, except `other`. */
  readonly any?: (event: WebhookEvent<EventName>) => unknown;
};

export interface WebhookReceiverOptions {
  /** The secret that the gateway returned when the webhook was created, `whsec_…`; two during a rotation. */
  readonly secrets: string | readonly string[] | undefined;
  /** Called for each event with its name. The delivery is answered once the promise has settled. */
  readonly handlers?: WebhookHandlers | undefined;
  /** Called for each event, after its handler. */
  readonly onEvent?: ((event: WebhookEvent) => unknown) | undefined;
  /** The maximum difference between the clocks of gateway and application. Default: 300. */
  readonly toleranceSeconds?: number | undefined;
  /** The ids of handled events; by default in memory, for 24 hours. */
  readonly seen?: SeenStore | undefined;
  /** The largest delivery, in bytes. Default: 4 MB. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * A delivery whose handler takes longer is answered with 500; the repeated delivery joins the running handler. The
   * gateway waits for 15 s. Default: 12,000.
   */
  readonly handlerTimeoutMs?: number | undefined;
  /** Called with each handler error and its event. Default: `console.error`. */
  readonly onError?: ((error: unknown, event?: WebhookEvent) => void) | undefined;
}

/** The handler of the gateway's deliveries. */
export interface WebhookReceiver {
  /**
   * Answers a request, whatever its path. Never rejects. `adapter`: what `@hono/node-server` passes beside the request,
   * for the sender's address.
   */
  fetch(request: Request, adapter?: unknown): Promise<Response>;
}

const MAX_BODY_BYTES = 4_194_304;
const HANDLER_TIMEOUT_MS = 12_000;
const TOLERANCE_SECONDS = 300;
/** The maximum number of handlers in progress. */
const MAX_RUNNING = 1_000;

/**
 * Receives the webhooks of a gateway. A delivery is answered with 204 once its handlers have succeeded, and with 500 if
 * one has failed: the gateway then repeats it. An event whose data cannot be read is also answered with 500, unless
 * `other` or `onEvent` accepts it. An event that was handled before is answered with 204, without calling handlers.
 * Throws a TypeError for an invalid or missing secret.
 *
 * @example
 * const receiver = createWebhookReceiver({
 *   secrets: process.env.WEBHOOK_SECRET,
 *   handlers: { message: async ({ session, data }) => store(session, data) },
 * });
 * app.post('/hooks/chat', (context) => receiver.fetch(context.req.raw, context.env)); // Hono
 */
export function createWebhookReceiver(options: WebhookReceiverOptions): WebhookReceiver {
  const receiver = new Receiver(options);
  return { fetch: (request, adapter) => receiver.answer(request, adapter) };
}

/**
 * Verifies one delivery manually, for platforms without `Request`: `rawBody` as received, before any parser. Resolves
 * to its event. Rejects with a GatewayError: `unauthorized` if the signature is missing, malformed, wrong or too old,
 * `invalid_request` if the body is not an event.
 *
 * @example
 * const event = await verifyWebhook(request.headers, rawBody, process.env.WEBHOOK_SECRET);
 */
export async function verifyWebhook(
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>,
  rawBody: Uint8Array | string,
  secrets: string | readonly string[] | undefined,
  { toleranceSeconds = TOLERANCE_SECONDS }: { readonly toleranceSeconds?: number | undefined } = {},
): Promise<WebhookEvent> {
  const body = typeof rawBody === 'string' ? utf8Bytes(rawBody) : rawBody;
  const signed = await new WebhookSignatures(secrets, toleranceSeconds).verify(headersOf(headers), body);
  if (!signed) throw new GatewayError('unauthorized', UNSIGNED);
  const event = webhookEventOf(signed.id, parsedJson(body));
  if (!event) throw new GatewayError('invalid_request', NO_EVENT);
  return event;
}

const UNSIGNED = 'the signature is missing, malformed, wrong or too old';
const UNREADABLE = 'the data of the event is not valid for this version: install a newer one';
const NO_EVENT = 'the body is not an event of a gateway';

class Receiver {
  readonly #options: WebhookReceiverOptions;
  readonly #signatures: WebhookSignatures;
  readonly #bodies: BodyReader;
  readonly #once: Once;

  constructor(options: WebhookReceiverOptions) {
    this.#options = options;
    this.#signatures = new WebhookSignatures(options.secrets, options.toleranceSeconds ?? TOLERANCE_SECONDS);
    this.#bodies = new BodyReader(options.maxBodyBytes ?? MAX_BODY_BYTES, (error) => this.#fail(error));
    this.#once = new Once(options.seen ?? memorySeenStore(), (error) => this.#fail(error));
  }

  async answer(request: Request, adapter: unknown): Promise<Response> {
    if (request.method !== 'POST') return wrongMethod('POST');
    try {
      return await this.#delivery(request, adapter);
    } catch (error) {
      this.#fail(error);
      return refused(500, 'internal_error', 'the webhook could not be handled');
    }
  }

  async #delivery(request: Request, adapter: unknown): Promise<Response> {
    if (!this.#signatures.read(request.headers)?.signatures.length) return refused(401, 'unauthorized', UNSIGNED);
    const body = await this.#bodies.read(request, adapter);
    if (body instanceof Response) return body;
    const signed = await this.#signatures.verify(request.headers, body);
    if (!signed) return refused(401, 'unauthorized', UNSIGNED);
    const event = webhookEventOf(signed.id, parsedJson(body));
    if (!event) return refused(400, 'invalid_request', NO_EVENT);
    if (this.#once.size >= MAX_RUNNING && !this.#once.isRunning(event.id)) {
      return serviceUnavailable('insufficient_resources', 'too many events are being handled');
    }
    return this.#dispatch(event);
  }

  async #dispatch(event: WebhookEvent): Promise<Response> {
    const timeoutMs = this.#options.handlerTimeoutMs ?? HANDLER_TIMEOUT_MS;
    const work = this.#once.run(event.id, () => this.#callHandlers(event));
    // Reported when it fails, even if that is late; `work` itself is awaited below, or not at all after the time limit.
    const outcome = work.then(
      () => true,
      () => false,
    );
    const isWell = await withDeadline(outcome, timeoutMs, () => undefined);
    if (isWell) return new Response(null, { status: 204 });
    if (isWell === false) return refused(500, 'internal_error', 'a handler failed');
    // No Retry-After: the gateway would delay all sessions, and never make the event a dead letter.
    return refused(500, 'still_running', 'the handler is still running');
  }

  async #callHandlers(event: WebhookEvent): Promise<void> {
    const { handlers, onEvent } = this.#options;
    const own = handlers?.[event.name] as ((event: WebhookEvent) => unknown) | undefined;
    try {
      if (!own && !onEvent && isUnreadable(event)) throw new GatewayError('internal_error', UNREADABLE);
      if (own || event.name === 'other') await own?.(event);
      else await handlers?.any?.(event);
      await onEvent?.(event);
    } catch (error) {
      this.#fail(error, event);
      throw error;
    }
  }

  #fail(error: unknown, event?: WebhookEvent): void {
    reportError(this.#options.onError, error, event);
  }
}

function headersOf(headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>): Headers {
  if (headers instanceof Headers) return headers;
  const given = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  return new Headers(given);
}
