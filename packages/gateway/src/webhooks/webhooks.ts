import { randomBytes } from 'node:crypto';
import { AddressGuard, ForbiddenAddressError } from '@chat-web/outbound';
import {
  type AnswerOf,
  type ChangedWebhook,
  DEFAULT_EVENTS,
  type DeadLetter,
  type EventName,
  errorText,
  GatewayError,
  invalidRequest,
  matchesPattern,
  type NewWebhook,
  type WebhookDelivery,
  type WebhookView,
  webhookEvents,
} from '@chat-web/protocol';
import type { Caller } from '../access/caller.ts';
import type { Keys } from '../access/keys.ts';
import { Refusal } from '../access/refusal.ts';
import type { Config } from '../config.ts';
import type { EventLog } from '../events/event-log.ts';
import type { Entry } from '../events/feed.ts';
import type { NewRecord } from '../journal/frame.ts';
import { Lock } from '../lock.ts';
import type { Log } from '../log.ts';
import { Courier, type Revivals } from './courier.ts';
import { type Delivery, Endpoint, type Outcome, requireSecure } from './endpoint.ts';
import { newSecret } from './signature.ts';
import { readWebhooks, type StoredWebhook, writeWebhooks } from './webhook-file.ts';
import { type Progress, progressNotes, type StoredLetter, type WebhookProgress } from './webhook-progress.ts';

/** The dependencies of webhooks. */
export interface WebhooksParts {
  /** The file that they are stored in. */
  readonly path: string;
  readonly config: Readonly<Pick<Config, 'webhookHosts' | 'webhookRetryDelaysMs'>>;
  readonly keys: Pick<Keys, 'caller'>;
  /** False if the gateway is open: then new webhooks end once it requires a token. */
  readonly asksForToken: boolean;
  readonly events: Pick<EventLog, 'feed' | 'find' | 'idBefore' | 'seqOf' | 'isKnown' | 'isDeleted'>;
  readonly progress: WebhookProgress;
  /** Stores a record. Rejects if that fails now. */
  append(record: NewRecord): Promise<void>;
  readonly version: string;
  readonly log: Log;
}

/** A webhook in memory. */
interface Webhook {
  stored: StoredWebhook;
  /** Its progress, while it has no courier. */
  progress: Progress;
  /** Undefined while it is disabled. */
  courier: Courier | undefined;
  /** Dead letters to replay. */
  readonly reviving: Set<string>;
  /** The last attempts, newest first. */
  readonly deliveries: WebhookDelivery[];
  endpoint: Endpoint;
  /** Stops watching its owner's access. */
  unwatch(): void;
}

const MAX_WEBHOOKS = 100;
const ID_BYTES = 6;
const FORMER_SECRET_MS = 24 * 60 * 60_000;
const MAX_FORMER_SECRETS = 5;
const MAX_DELIVERIES = 50;
const TEST_EVENT = 'test';
/** The id of every caller of a gateway without a token. */
const OPEN = 'open';
/**
 * The start of a webhook without a record in the journal, such as one that was removed: a gap, then all that is kept.
 */
const LOST = 'lost-0';

/** The events of a webhook that names none. */
const defaultEvents = webhookEvents.filter((name) => DEFAULT_EVENTS.includes(name));

/** The number of delivery attempts by webhook and outcome. */
export type DeliveryCounts = ReadonlyMap<string, Readonly<Record<'delivered' | 'failed' | 'dead', number>>>;

/** Webhooks: events that are posted to applications. */
export class Webhooks {
  readonly #parts: WebhooksParts;
  readonly #guard: AddressGuard;
  readonly #lock = new Lock();
  readonly #webhooks = new Map<string, Webhook>();
  readonly #counts = new Map<string, Record<'delivered' | 'failed' | 'dead', number>>();
  #isClosed = false;

  private constructor(parts: WebhooksParts) {
    this.#parts = parts;
    this.#guard = new AddressGuard(parts.config.webhookHosts);
  }

  /** Loads the stored webhooks. Rejects with a ConfigError if their file is unreadable. */
  static async load(parts: WebhooksParts): Promise<Webhooks> {
    const webhooks = new Webhooks(parts);
    for (const stored of await readWebhooks(parts.path))
      webhooks.#add(stored, parts.progress.of(stored.id) ?? { position: LOST, waiting: {} });
    for (const id of parts.progress.ids)
      if (!webhooks.#webhooks.has(id)) await parts.append(progressNotes.removed(id)).catch(() => {});
    return webhooks;
  }

  /** Starts delivering. */
  start(): void {
    for (const webhook of this.#webhooks.values()) this.#resume(webhook);
  }

  // Operations. A caller sees the webhooks of its own sessions.

  /** The webhooks that the caller may see, oldest first. */
  list(caller: Caller): WebhookView[] {
    return [...this.#webhooks.values()]
      .filter(({ stored }) => sees(caller, stored))
      .map((webhook) => this.#viewOf(webhook));
  }

  get(id: string, caller: Caller): WebhookView {
    return this.#viewOf(this.#find(id, caller));
  }

  /** `session_not_found`, `url_not_allowed`, `rate_limited` if there are too many, `insufficient_resources`. */
  async create(input: NewWebhook, caller: Caller): Promise<WebhookView & { readonly secret: string }> {
    const subscription = await this.#subscription(input, caller);
    return this.#lock.run(async () => {
      if (this.#webhooks.size >= MAX_WEBHOOKS)
        throw new GatewayError(
          'rate_limited',
          `the limit of ${MAX_WEBHOOKS} webhooks is reached: delete an unused one`,
        );
      const id = `wh_${randomBytes(ID_BYTES).toString('hex')}`;
      const stored: StoredWebhook = {
        ...{ id, ...subscription, createdAt: new Date().toISOString(), secret: newSecret() },
        ...ownerOf(caller),
      };
      const progress = { position: input.after ?? this.#now(), waiting: {} };
      await this.#store(progressNotes.progress(id, progress));
      try {
        await this.#write([...this.#stored(), stored]);
      } catch (error) {
        await this.#parts.append(progressNotes.removed(id)).catch(() => {}); // Otherwise at the next start.
        throw error;
      }
      const webhook = this.#add(stored, progress);
      this.#resume(webhook);
      return { ...this.#viewOf(webhook), secret: stored.secret };
    });
  }

  /** Changes a webhook, and enables it again. Rejects like `create`. */
  async update(id: string, input: ChangedWebhook, caller: Caller): Promise<WebhookView> {
    this.#find(id, caller);
    const subscription = await this.#subscription(input, caller);
    const change = ({ owner, disabled: _, ...stored }: StoredWebhook) => ({
      ...{ ...stored, ...subscription },
      ...this.#ownerAfter({ owner, sessions: subscription.sessions }, caller),
    });
    // A changed endpoint starts without past failures.
    return this.#change(id, caller, change, ({ failingMs: _, ...progress }) => progress);
  }

  /** Creates a new secret; the former ones still sign for a day. */
  async rotateSecret(id: string, caller: Caller): Promise<WebhookView & { readonly secret: string }> {
    const secret = newSecret();
    const view = await this.#change(id, caller, (stored) => {
      const former = [{ secret: stored.secret, until: Date.now() + FORMER_SECRET_MS }, ...(stored.former ?? [])];
      return { ...stored, secret, former: former.slice(0, MAX_FORMER_SECRETS) };
    });
    return { ...view, secret };
  }

  async remove(id: string, caller: Caller): Promise<void> {
    await this.#lock.run(async () => {
      const webhook = this.#find(id, caller);
      await this.#write(this.#stored().filter((stored) => stored.id !== id));
      this.#pause(webhook);
      webhook.endpoint.close();
      webhook.unwatch();
      this.#webhooks.delete(id);
      this.#counts.delete(id);
      await this.#parts.append(progressNotes.removed(id)).catch(() => {}); // Otherwise at the next start.
    });
  }

  /** Redelivers all kept events after a position. Rejects for a position that the webhook has not reached. */
  replay(id: string, after: string, caller: Caller): Promise<WebhookView> {
    const { events } = this.#parts;
    return this.#lock.run(async () => {
      const webhook = this.#find(id, caller);
      const { position } = webhook.courier?.progress ?? webhook.progress;
      const seq = events.isKnown(after) ? events.seqOf(after) : 0;
      if (seq > events.seqOf(position))
        throw invalidRequest([{ path: 'after', message: `must not be after the webhook's position, ${position}` }]);
      this.#pause(webhook);
      // Sessions that are further behind keep their position.
      const behind = Object.entries(webhook.progress.waiting).filter(
        ([, waiting]) => events.seqOf(waiting.after) < seq,
      );
      const progress = { ...webhook.progress, position: after, waiting: Object.fromEntries(behind) };
      try {
        await this.#store(progressNotes.progress(id, progress));
        webhook.progress = progress;
      } finally {
        this.#resume(webhook);
      }
      return this.#viewOf(webhook);
    });
  }

  /** Sends a test event once, immediately, even if the webhook is disabled. */
  async test(id: string, caller: Caller): Promise<AnswerOf<'testWebhook'>> {
    const { endpoint } = this.#find(id, caller);
    const event = { id: `test-${randomBytes(ID_BYTES).toString('hex')}`, type: TEST_EVENT, session: undefined };
    const posted = await post(endpoint, { ...event, at: Date.now(), text: '{}' }, new AbortController().signal);
    return { id, ...resultOf(posted) };
  }

  deadLetters(id: string, caller: Caller): DeadLetter[] {
    this.#find(id, caller);
    const letters = this.#parts.progress.deadLetters(id).map(({ gap: _, ...letter }) => letter);
    return letters.filter((letter) => isSeen(letter, caller));
  }

  /** The last attempts to deliver an event since the gateway started, newest first. */
  deliveries(id: string, caller: Caller): WebhookDelivery[] {
    const { events } = this.#parts;
    return this.#find(id, caller).deliveries.filter(
      (one) => isSeen(one, caller) && (one.session === undefined || !events.isDeleted(one.session, one.id)),
    );
  }

  /** Replays the dead letters, each once. Returns how many. */
  replayDeadLetters(id: string, caller: Caller): number {
    const { courier, reviving } = this.#find(id, caller);
    if (!courier) return 0;
    for (const letter of this.#parts.progress.deadLetters(id)) reviving.add(letter.id);
    courier.revive();
    return reviving.size;
  }

  // Metrics.

  get counts(): DeliveryCounts {
    return this.#counts;
  }

  /** All webhooks, for the metrics. */
  views(): WebhookView[] {
    return [...this.#webhooks.values()].map((webhook) => this.#viewOf(webhook));
  }

  /** Stops at once: deliveries in progress are repeated after the next start. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const webhook of this.#webhooks.values()) {
      const wasRunning = webhook.courier !== undefined;
      this.#pause(webhook);
      webhook.endpoint.close();
      webhook.unwatch();
      if (wasRunning)
        await this.#parts.append(progressNotes.progress(webhook.stored.id, webhook.progress)).catch(() => {});
    }
  }

  // Life cycle.

  #add(stored: StoredWebhook, progress: Progress): Webhook {
    const webhook: Webhook = {
      ...{ stored, progress, courier: undefined, reviving: new Set(), deliveries: [], unwatch: () => {} },
      endpoint: this.#endpointOf(stored),
    };
    this.#webhooks.set(stored.id, webhook);
    this.#watchOwner(webhook);
    return webhook;
  }

  /**
   * The owner of a changed webhook: its last editor, so that a revoked key leaves no address behind. If the operator
   * changes a key's webhook, it stays with that key while the key covers its sessions, and ends with it.
   */
  #ownerAfter({ owner, sessions }: Pick<StoredWebhook, 'owner' | 'sessions'>, caller: Caller) {
    const now = ownerOf(caller);
    if (now.owner !== undefined || owner === undefined || owner === OPEN) return now;
    const key = this.#parts.keys.caller(owner);
    const holds = key && !key.signal?.aborted && sessions.every((pattern) => covers(key, pattern));
    return holds ? { owner } : now;
  }

  /** Ends the webhook with its owner's access. */
  #watchOwner(webhook: Webhook): void {
    webhook.unwatch();
    const { id, owner } = webhook.stored;
    if (owner === undefined || (owner === OPEN && !this.#parts.asksForToken)) return;
    const signal = this.#parts.keys.caller(owner)?.signal;
    const end = () => void this.#disable(id, 'no_access');
    if (!signal || signal.aborted) end();
    signal?.addEventListener('abort', end, { once: true });
    webhook.unwatch = () => signal?.removeEventListener('abort', end);
  }

  #resume(webhook: Webhook): void {
    const { stored } = webhook;
    if (webhook.courier || stored.disabled || this.#isClosed) return;
    const { events, config, log } = this.#parts;
    const { id } = stored;
    const takes = (session: string, name: EventName) =>
      stored.sessions.some((pattern) => matchesPattern(pattern, session)) &&
      (name === 'gap' || stored.events.includes(name));
    const courier: Courier = new Courier(webhook.progress, {
      feed: (after, isAsked = () => true) =>
        events.feed({ after, session: undefined, takes: (session, name) => isAsked(session) && takes(session, name) }),
      find: (eventId) => events.find(eventId),
      seqOf: (position) => events.seqOf(position),
      positionBefore: (eventId) => events.idBefore(eventId),
      isDeleted: (session, eventId) => events.isDeleted(session, eventId),
      post: async ({ postedId, event, session, at, text }, signal) => {
        const begunAt = new Date().toISOString();
        const posted = await post(webhook.endpoint, { id: postedId, type: event, session, at, text }, signal);
        const whose = session === undefined ? {} : { session };
        webhook.deliveries.unshift({ id: postedId, event, ...whose, at: begunAt, ...resultOf(posted) });
        webhook.deliveries.splice(MAX_DELIVERIES);
        this.#count(id, posted.outcome);
        return posted.outcome;
      },
      save: (progress) => this.#parts.append(progressNotes.progress(id, progress)),
      bury: async (letter, { id: entryId, text }) => {
        const isGap = entryId !== letter.id;
        await this.#parts.append(progressNotes.dead(id, isGap ? { ...letter, gap: text } : letter));
        this.#countsOf(id).dead += 1;
        log.warn({ webhook: id, event: letter.id, attempts: letter.attempts, error: letter.message }, 'event given up');
      },
      revivals: this.#revivalsOf(webhook),
      onDisabled: (reason) => void this.#disable(id, reason, () => webhook.courier === courier),
      retryDelaysMs: config.webhookRetryDelaysMs,
      log: log.child({ webhook: id }),
    });
    webhook.courier = courier;
  }

  #revivalsOf({ stored: { id }, reviving }: Webhook): Revivals {
    const { progress, append, log } = this.#parts;
    return {
      next: () => {
        for (const eventId of reviving) {
          const letter = progress.deadLetter(id, eventId);
          if (letter) return { id: eventId, gap: gapIn(letter) };
          reviving.delete(eventId); // For example because its session was deleted.
        }
        return undefined;
      },
      done: (eventId, outcome) => {
        reviving.delete(eventId);
        if (outcome === 'failed') return;
        if (outcome === 'expired') log.warn({ webhook: id, event: eventId }, 'dead letter expired');
        void append(progressNotes.revived(id, eventId)).catch(() => {}); // Otherwise another replay repeats it.
      },
    };
  }

  #pause(webhook: Webhook): void {
    if (!webhook.courier) return;
    webhook.progress = webhook.courier.progress;
    webhook.courier.stop();
    webhook.courier = undefined;
  }

  /** `isCurrent`: false if the cause no longer holds, for example because the endpoint has changed. */
  async #disable(id: string, disabled: NonNullable<StoredWebhook['disabled']>, isCurrent = () => true): Promise<void> {
    await this.#lock.run(async () => {
      const webhook = this.#webhooks.get(id);
      if (!webhook || webhook.stored.disabled || this.#isClosed || !isCurrent()) return;
      this.#pause(webhook);
      webhook.stored = { ...webhook.stored, disabled };
      const hint = 'see its last failure with GET /webhooks; a PUT enables it again';
      this.#parts.log.warn({ webhook: id, reason: disabled, hint }, 'webhook disabled');
      await this.#write(this.#stored()).catch((error: unknown) =>
        this.#parts.log.error({ webhook: id, error: errorText(error) }, 'disabled webhook not stored'),
      );
    });
  }

  async #change(
    id: string,
    caller: Caller,
    change: (stored: StoredWebhook) => StoredWebhook,
    goOn = (progress: Progress) => progress,
  ): Promise<WebhookView> {
    return this.#lock.run(async () => {
      const webhook = this.#find(id, caller);
      const stored = change(webhook.stored);
      await this.#write(this.#stored().map((one) => (one.id === id ? stored : one)));
      this.#pause(webhook);
      webhook.stored = stored;
      webhook.progress = goOn(webhook.progress);
      webhook.endpoint.close();
      webhook.endpoint = this.#endpointOf(stored);
      this.#watchOwner(webhook);
      this.#resume(webhook);
      return this.#viewOf(webhook);
    });
  }

  #endpointOf({ id, url }: StoredWebhook): Endpoint {
    return new Endpoint({
      ...{ url, guard: this.#guard, userAgent: `chat-web/${this.#parts.version}` },
      secrets: () => {
        const { secret, former = [] } = this.#webhooks.get(id)?.stored ?? {};
        const stillSign = former.filter(({ until }) => until > Date.now());
        return [...(secret ? [secret] : []), ...stillSign.map((one) => one.secret)];
      },
    });
  }

  #count(id: string, outcome: Outcome): void {
    this.#countsOf(id)[outcome.kind === 'delivered' ? 'delivered' : 'failed'] += 1;
  }

  #countsOf(id: string) {
    const counts = this.#counts.get(id) ?? { delivered: 0, failed: 0, dead: 0 };
    this.#counts.set(id, counts);
    return counts;
  }

  // Validating requests.

  #find(id: string, caller: Caller): Webhook {
    const webhook = this.#webhooks.get(id);
    if (webhook && sees(caller, webhook.stored)) return webhook;
    throw new GatewayError('webhook_not_found', 'webhook not found');
  }

  /** The subscription of a webhook, if its caller may have it. */
  async #subscription(asked: ChangedWebhook, caller: Caller) {
    const { url, sessions = [...caller.sessions], events = defaultEvents } = asked;
    if (!sessions.every((pattern) => covers(caller, pattern)))
      throw new Refusal('foreign_session', 'sessions must be sessions, or patterns, that the key covers');
    await this.#requireAllowed(url);
    return { url, sessions, events };
  }

  async #requireAllowed(url: string): Promise<void> {
    try {
      requireSecure(new URL(url), this.#guard);
      await this.#guard.resolve(new URL(url));
    } catch (error) {
      const why = error instanceof ForbiddenAddressError ? error.message : 'its host could not be resolved';
      throw new GatewayError('url_not_allowed', `the url of the webhook is not allowed: ${why}`);
    }
  }

  /** The current position. */
  #now(): string {
    return this.#parts.events.feed({ after: undefined, session: undefined, takes: () => true }).position;
  }

  #stored(): StoredWebhook[] {
    return [...this.#webhooks.values()].map(({ stored }) => stored);
  }

  #write(webhooks: readonly StoredWebhook[]): Promise<void> {
    return writeWebhooks(this.#parts.path, webhooks).catch(notStored);
  }

  #store(record: NewRecord): Promise<void> {
    return this.#parts.append(record).catch(notStored);
  }

  #viewOf({ stored, courier, progress: last }: Webhook): WebhookView {
    const { id, url, sessions, events, createdAt, disabled } = stored;
    const progress = courier?.progress ?? last;
    const { position, waiting, lastSuccessAt, lastFailure } = progress;
    const nextAttemptAt = courier?.nextAttemptAt;
    const iso = (at: number) => new Date(at).toISOString();
    return {
      ...{ id, url, sessions, events, createdAt, position },
      status: disabled ? 'disabled' : courier?.isFailing ? 'failing' : 'active',
      ...(disabled ? { reason: disabled } : {}),
      waiting: Object.values(waiting).filter(({ attempts }) => attempts > 0).length,
      deadLetters: this.#parts.progress.deadLetters(id).length,
      ...(lastSuccessAt === undefined ? {} : { lastSuccessAt: iso(lastSuccessAt) }),
      ...(lastFailure ? { lastFailure: { at: iso(lastFailure.at), message: lastFailure.message } } : {}),
      ...(nextAttemptAt === undefined ? {} : { nextAttemptAt: iso(nextAttemptAt) }),
    };
  }
}

/** The outcome of one attempt, and its duration. */
interface Posted {
  readonly outcome: Outcome;
  readonly ms: number;
}

/** Rejects only if the signal aborts. */
async function post(endpoint: Endpoint, delivery: Delivery, signal: AbortSignal): Promise<Posted> {
  const startedAt = performance.now();
  const outcome = await endpoint.post(delivery, signal);
  return { outcome, ms: Math.round(performance.now() - startedAt) };
}

function resultOf({ outcome, ms }: Posted): Pick<WebhookDelivery, 'ms' | 'ok' | 'message'> {
  return outcome.kind === 'delivered' ? { ok: true, ms } : { ok: false, ms, message: outcome.message };
}

function notStored(error: unknown): never {
  throw new GatewayError('insufficient_resources', `nothing was changed: ${errorText(error)}`);
}

/** The gap of a dead letter, if it is one. */
function gapIn({ id, session, at, gap }: StoredLetter): Entry | undefined {
  return gap === undefined ? undefined : { id, event: 'gap', session, at: Date.parse(at), text: gap };
}

/** The owner of a webhook; absent for the operator. */
function ownerOf({ id, keyId }: Caller): Pick<StoredWebhook, 'owner'> {
  if (id === OPEN) return { owner: OPEN };
  return keyId === undefined ? {} : { owner: keyId };
}

/** True if the caller may access all sessions of a pattern. Stars of the pattern match only stars. */
function covers({ sessions }: Caller, pattern: string): boolean {
  return sessions.some((own) => matchesPattern(own, pattern));
}

function sees(caller: Caller, { sessions }: StoredWebhook): boolean {
  return sessions.every((pattern) => covers(caller, pattern));
}

/** Hides attempts from before the webhook was limited to fewer sessions from keys that cover only these. */
function isSeen({ session }: { readonly session?: string | undefined }, caller: Caller): boolean {
  return session === undefined || caller.sees(session);
}
