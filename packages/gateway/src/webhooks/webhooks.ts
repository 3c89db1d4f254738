import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { AddressGuard, refusalReason } from '@chat-web/outbound';
import {
  type AnswerOf,
  type ChangedWebhook,
  DEFAULT_EVENTS,
  type DeadLetter,
  type EventName,
  errorText,
  GatewayError,
  getOrAdd,
  invalidRequest,
  matchesPattern,
  type NewWebhook,
  reaches,
  type WebhookDelivery,
  type WebhookView,
  webhookEvents,
} from '@chat-web/protocol';
import type { Caller } from '../access/caller.ts';
import type { Keys } from '../access/keys.ts';
import { Refusal } from '../access/refusal.ts';
import { exceededShare, type Shares } from '../access/shares.ts';
import type { Config } from '../config.ts';
import { passes } from '../events/chat-filter.ts';
import type { Entry, Takes } from '../events/feed.ts';
import type { WebhookEvents } from '../events/webhook-events.ts';
import { Lock } from '../lock.ts';
import type { Log } from '../log.ts';
import { Courier, type Replays } from './courier.ts';
import { credentialsAfter, headersOf } from './credentials.ts';
import { type Delivery, Endpoint, requireSecure } from './endpoint.ts';
import { newSecret } from './signature.ts';
import { type Progress, progressNotes, type StoredLetter } from './webhook-progress.ts';
import { MAX_FORMER_SECRETS, MAX_WEBHOOKS, OPEN, type StoredWebhook, type WebhookStore } from './webhook-store.ts';

interface Dependencies {
  readonly store: WebhookStore;
  readonly config: Readonly<Pick<Config, 'webhookHosts' | 'webhookRetryDelaysMs'>>;
  readonly keys: Pick<Keys, 'caller'>;
  /** False if the gateway is open: then new webhooks end once it requires a token. */
  readonly asksForToken: boolean;
  readonly events: WebhookEvents;
  readonly version: string;
  readonly log: Log;
}

interface Webhook {
  stored: StoredWebhook;
  progress: Progress;
  /** Undefined while it is disabled. */
  courier: Courier | undefined;
  readonly replaying: Set<string>;
  readonly attempts: Attempt[];
  endpoint: Endpoint;
  /** How many tests are in progress. */
  tests: number;
  unwatch(): void;
}

/** An attempt to deliver an event at a position. */
interface Attempt {
  readonly position: string;
  readonly view: WebhookDelivery;
}

const SHARES: Shares = { all: MAX_WEBHOOKS, ofKeys: 80, perKey: 25 };
const ID_BYTES = 6;
const FORMER_SECRET_MS = 24 * 60 * 60_000;
const MAX_ATTEMPTS = 50;
/** At a time: each has a connection. */
const MAX_TESTS = 4;
const RETRY_AFTER_SECONDS = 2;
const TEST_EVENT = 'test';
/**
 * The start of a webhook without a record in the journal, such as one that was removed: a gap, then all that is kept.
 */
const LOST = 'lost-0';

const defaultEvents = webhookEvents.filter((name) => DEFAULT_EVENTS.includes(name));

type Counts = Record<'delivered' | 'failed' | 'dead', number>;

/** Webhooks: events that are posted to applications. */
export class Webhooks {
  readonly #dependencies: Dependencies;
  readonly #guard: AddressGuard;
  readonly #lock = new Lock();
  readonly #webhooks = new Map<string, Webhook>();
  readonly #counts = new Map<string, Counts>();
  #isLoaded = false;
  #isDelivering = false;
  #isClosed = false;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#guard = new AddressGuard(dependencies.config.webhookHosts);
  }

  /** Reads those that are stored. Those that it has go on if they are the same; others deliver from `start` on. */
  async load(): Promise<void> {
    const { store } = this.#dependencies;
    await this.#lock.run(async () => {
      const all = await store.load();
      for (const webhook of [...this.#webhooks.values()])
        if (!all.some((stored) => isDeepStrictEqual(stored, webhook.stored))) this.#drop(webhook);
      const kept = new Map(this.#webhooks);
      this.#webhooks.clear();
      for (const stored of all) {
        const webhook = kept.get(stored.id);
        if (webhook) this.#webhooks.set(stored.id, webhook);
        else this.#add(stored, store.progress.of(stored.id) ?? { position: LOST, waiting: [] });
      }
      this.#isLoaded = true;
      for (const webhook of this.#webhooks.values()) this.#resume(webhook);
    });
  }

  /** Resolves once all deliver: a change in progress ends first. */
  async start(): Promise<void> {
    this.#isDelivering = true;
    await this.#lock.run(async () => {
      for (const webhook of this.#webhooks.values()) this.#resume(webhook);
    });
  }

  /** Stops all deliveries, until `start`. Those in progress are repeated. */
  stop(): void {
    this.#isDelivering = false;
    for (const webhook of this.#webhooks.values()) this.#pause(webhook);
  }

  /** Stops, and has no webhooks any more: they stay stored. */
  unload(): void {
    this.stop();
    this.#isLoaded = false;
    for (const webhook of this.#webhooks.values()) this.#drop(webhook);
  }

  // Operations. A caller sees the webhooks of its own sessions. A change whose caller has lost its access by the time
  // that it is its turn is refused.

  /** The webhooks that the caller may see, oldest first. */
  list(caller: Caller): WebhookView[] {
    if (!this.#isLoaded) throw takenOver();
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
      const owners = this.#stored().map(({ owner }) => (owner === OPEN ? undefined : owner));
      const full = exceededShare(SHARES, owners, caller.keyId);
      if (full)
        throw new GatewayError(
          'rate_limited',
          `the limit of ${full.max} webhooks${full.whose} is reached: delete an unused one`,
        );
      const id = `wh_${randomBytes(ID_BYTES).toString('hex')}`;
      const stored: StoredWebhook = {
        id,
        ...subscription,
        ...credentialsAfter(undefined, input),
        createdAt: new Date().toISOString(),
        secret: newSecret(),
        ...ownerOf(caller),
      };
      const { store, events } = this.#dependencies;
      const position = input.after === undefined ? this.#now() : await events.resolve(input.after);
      const progress = { position, waiting: [] };
      await store.create(stored, progress, [...this.#stored(), stored]).catch(notStored);
      this.#requireLoaded();
      const webhook = this.#add(stored, progress);
      this.#resume(webhook);
      return { ...this.#viewOf(webhook), secret: stored.secret };
    }, caller.signal);
  }

  /** Changes a webhook, and enables it again. Rejects like `create`. */
  async update(id: string, input: ChangedWebhook, caller: Caller): Promise<WebhookView> {
    this.#find(id, caller);
    const subscription = await this.#subscription(input, caller);
    const change = ({ disabled: _, owner, chats: __, from: ___, headers, basicAuth, ...stored }: StoredWebhook) => ({
      ...stored,
      ...subscription,
      ...credentialsAfter({ url: stored.url, headers, basicAuth }, input),
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
      const rest = this.#stored().filter((stored) => stored.id !== id);
      this.#pause(webhook);
      try {
        await this.#dependencies.store.remove(webhook.stored, rest).catch(notStored);
      } catch (error) {
        this.#resume(webhook);
        throw error;
      }
      this.#drop(webhook);
      this.#counts.delete(id);
    }, caller.signal);
  }

  /** Redelivers all kept events after a position. Rejects for a position that the webhook has not reached. */
  replay(id: string, after: string, caller: Caller): Promise<WebhookView> {
    const { events, store } = this.#dependencies;
    return this.#lock.run(async () => {
      const webhook = this.#find(id, caller);
      const { position } = webhook.courier?.progress ?? webhook.progress;
      const start = await events.resolve(after);
      const seq = events.seqOf(start);
      if (seq > events.seqOf(position))
        throw invalidRequest([{ path: 'after', message: `must not be after the webhook's position, ${position}` }]);
      this.#pause(webhook);
      // Sessions that are further behind keep their position.
      const waiting = webhook.progress.waiting.filter((one) => events.seqOf(one.after) < seq);
      const progress = { ...webhook.progress, position: start, waiting };
      try {
        await store.note(webhook.stored, progressNotes.progress(id, progress)).catch(notStored);
        webhook.progress = progress;
      } finally {
        this.#resume(webhook);
      }
      return this.#viewOf(webhook);
    }, caller.signal);
  }

  /** Sends a test event once, immediately, even if the webhook is disabled. `rate_limited` if too many wait. */
  async test(id: string, caller: Caller): Promise<AnswerOf<'testWebhook'>> {
    const webhook = this.#find(id, caller);
    if (webhook.tests >= MAX_TESTS)
      throw new GatewayError(
        'rate_limited',
        `${MAX_TESTS} tests of webhook ${id} wait for the endpoint: try again later`,
      );
    const event = { id: `test-${randomBytes(ID_BYTES).toString('hex')}`, type: TEST_EVENT, session: undefined };
    webhook.tests += 1;
    try {
      const { result } = await post(webhook.endpoint, { ...event, at: Date.now(), text: '{}' });
      return { id, ...result };
    } finally {
      webhook.tests -= 1;
    }
  }

  deadLetters(id: string, caller: Caller): DeadLetter[] {
    return this.#lettersOf(this.#find(id, caller)).map(({ gap: _, ...letter }) => letter);
  }

  /** The last attempts to deliver an event since the gateway started, newest first. */
  deliveries(id: string, caller: Caller): WebhookDelivery[] {
    const { events } = this.#dependencies;
    const isDeleted = ({ view: { session }, position }: Attempt) =>
      session !== undefined && events.isDeleted(session, position);
    return this.#find(id, caller)
      .attempts.filter((attempt) => isSeen(attempt.view, caller) && !isDeleted(attempt))
      .map(({ view }) => view);
  }

  /** Replays the dead letters, each once. Returns how many. */
  replayDeadLetters(id: string, caller: Caller): number {
    const webhook = this.#find(id, caller);
    if (!webhook.courier) return 0;
    const letters = this.#lettersOf(webhook);
    for (const letter of letters) webhook.replaying.add(letter.id);
    webhook.courier.replay();
    return letters.length;
  }

  /** Those that the webhook may have now: others are from before it was limited to fewer sessions or events. */
  #lettersOf({ stored }: Webhook): StoredLetter[] {
    return this.#dependencies.store.progress.deadLetters(stored.id).filter((letter) => mayHave(stored, letter));
  }

  // Metrics.

  /** How many files of this process belong to webhooks. */
  get openFiles(): number {
    return [...this.#webhooks.values()].reduce((sum, { endpoint }) => sum + endpoint.connections, 0);
  }

  get counts(): ReadonlyMap<string, Readonly<Counts>> {
    return this.#counts;
  }

  views(): WebhookView[] {
    return [...this.#webhooks.values()].map((webhook) => this.#viewOf(webhook));
  }

  /**
   * Stops as soon as a change in progress is stored. Deliveries in progress are repeated after the next start. Never
   * rejects.
   */
  async close(): Promise<void> {
    const { store } = this.#dependencies;
    this.#isClosed = true;
    await this.#lock.run(async () => {
      const running = [...this.#webhooks.values()].filter(({ courier }) => courier);
      this.stop();
      for (const { endpoint, unwatch } of this.#webhooks.values()) {
        endpoint.close();
        unwatch();
      }
      await Promise.all(
        running.map(({ stored, progress }) =>
          store.note(stored, progressNotes.progress(stored.id, progress), 'nothing').catch(() => {}),
        ),
      );
    });
  }

  // Life cycle.

  #add(stored: StoredWebhook, progress: Progress): Webhook {
    const webhook: Webhook = {
      stored,
      progress,
      courier: undefined,
      replaying: new Set(),
      attempts: [],
      tests: 0,
      unwatch: () => {},
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
    const key = this.#dependencies.keys.caller(owner);
    const holds = key && !key.signal?.aborted && sessions.every((pattern) => covers(key, pattern));
    return holds ? { owner } : now;
  }

  #watchOwner(webhook: Webhook): void {
    webhook.unwatch();
    const { id, owner = '' } = webhook.stored;
    const signal = this.#dependencies.keys.caller(owner)?.signal;
    const end = () => {
      this.#pause(webhook); // At once: others may hold the lock.
      void this.#disable(id, 'no_access');
    };
    if (!this.#hasAccess(webhook.stored)) end();
    signal?.addEventListener('abort', end, { once: true });
    webhook.unwatch = () => signal?.removeEventListener('abort', end);
  }

  /** False if the key of its owner is gone, or covers less than it did: the operator may edit the file of the keys. */
  #hasAccess({ owner, sessions }: StoredWebhook): boolean {
    if (owner === undefined || (owner === OPEN && !this.#dependencies.asksForToken)) return true;
    const key = this.#dependencies.keys.caller(owner);
    return key !== undefined && reaches(key.scope, 'manage') && sessions.every((pattern) => covers(key, pattern));
  }

  #resume(webhook: Webhook): void {
    const { stored } = webhook;
    const canRun = this.#isDelivering && !this.#isClosed && !stored.disabled && this.#hasAccess(stored);
    if (!canRun || webhook.courier) return;
    const { store, events, config, log } = this.#dependencies;
    const { id } = stored;
    const courier: Courier = new Courier(webhook.progress, {
      events,
      takes: takesOf(stored),
      owner: stored.owner ?? '',
      post: async ({ postedId, position, event, session, at, text, metadata }, signal) => {
        store.requireOwn();
        const begunAt = new Date().toISOString();
        const delivery = { id: postedId, type: event, session, at, text, metadata };
        const { outcome, result } = await post(webhook.endpoint, delivery, signal);
        const whose = session === undefined ? {} : { session };
        webhook.attempts.unshift({ position, view: { id: postedId, event, ...whose, at: begunAt, ...result } });
        webhook.attempts.splice(MAX_ATTEMPTS);
        this.#count(id, outcome.kind === 'delivered' ? 'delivered' : 'failed');
        return outcome;
      },
      save: (progress) => store.note(stored, progressNotes.progress(id, progress)),
      bury: async (letter, { isKept, text }) => {
        await store.note(stored, progressNotes.dead(id, isKept ? letter : { ...letter, gap: text }), 'eighth');
        this.#count(id, 'dead');
        log.warn(
          { webhook: id, event: letter.id, attempts: letter.attempts, error: letter.message },
          'event became a dead letter',
        );
      },
      replays: this.#replaysOf(webhook),
      onDisabled: (reason) => void this.#disable(id, reason, () => webhook.courier === courier),
      retryDelaysMs: config.webhookRetryDelaysMs,
      log: log.child({ webhook: id }),
    });
    webhook.courier = courier;
  }

  #replaysOf({ stored, replaying }: Webhook): Replays {
    const { store, log } = this.#dependencies;
    const { id } = stored;
    return {
      next: () => {
        for (const eventId of replaying) {
          const letter = store.progress.deadLetter(id, eventId);
          if (letter && mayHave(stored, letter)) return { id: eventId, gap: gapIn(letter) };
          replaying.delete(eventId); // For example because its session was deleted, or the webhook was limited.
        }
        return undefined;
      },
      done: (eventId, outcome) => {
        replaying.delete(eventId);
        if (outcome === 'failed') return;
        if (outcome !== 'delivered') log.warn({ webhook: id, event: eventId, reason: outcome }, 'dead letter dropped');
        void store.note(stored, progressNotes.replayed(id, eventId), 'nothing').catch(() => {}); // Otherwise another replay repeats it.
      },
    };
  }

  /** After a change was stored. */
  #requireLoaded(): void {
    if (!this.#isLoaded)
      throw new GatewayError(
        'outcome_unknown',
        'another gateway is taking over the webhooks: see whether it has the change',
      );
  }

  #drop(webhook: Webhook): void {
    this.#pause(webhook);
    webhook.endpoint.close();
    webhook.unwatch();
    this.#webhooks.delete(webhook.stored.id);
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
      this.#dependencies.log.warn({ webhook: id, reason: disabled, hint }, 'webhook disabled');
      const { store, log } = this.#dependencies;
      await store
        .change(webhook.stored, this.#stored())
        .catch((error: unknown) => log.error({ webhook: id, error: errorText(error) }, 'disabled webhook not stored'));
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
      const all = this.#stored().map((one) => (one.id === id ? stored : one));
      await this.#dependencies.store.change(stored, all).catch(notStored);
      this.#requireLoaded();
      this.#pause(webhook);
      webhook.stored = stored;
      webhook.progress = goOn(webhook.progress);
      webhook.endpoint.close();
      webhook.endpoint = this.#endpointOf(stored);
      this.#watchOwner(webhook);
      this.#resume(webhook);
      return this.#viewOf(webhook);
    }, caller.signal);
  }

  #endpointOf({ id, url, owner, headers, basicAuth }: StoredWebhook): Endpoint {
    return new Endpoint({
      url,
      owner,
      guard: this.#guard,
      userAgent: `chat-web/${this.#dependencies.version}`,
      headers: headersOf({ headers, basicAuth }),
      secrets: () => {
        const { secret, former = [] } = this.#webhooks.get(id)?.stored ?? {};
        const stillSign = former.filter(({ until }) => until > Date.now());
        return [...(secret ? [secret] : []), ...stillSign.map((one) => one.secret)];
      },
    });
  }

  #count(id: string, result: keyof Counts): void {
    getOrAdd(this.#counts, id, () => ({ delivered: 0, failed: 0, dead: 0 }))[result] += 1;
  }

  // Validating requests.

  #find(id: string, caller: Caller): Webhook {
    const webhook = this.#webhooks.get(id);
    if (webhook && sees(caller, webhook.stored)) return webhook;
    if (!this.#isLoaded) throw takenOver();
    throw new GatewayError('webhook_not_found', 'webhook not found');
  }

  /** The subscription of a webhook, if its caller may have it. */
  async #subscription(asked: ChangedWebhook, caller: Caller) {
    const { url, sessions = [...caller.sessions], events = defaultEvents, chats, from } = asked;
    if (!sessions.every((pattern) => covers(caller, pattern)))
      throw new Refusal('foreign_session', 'sessions must be sessions, or patterns, that the key covers');
    await this.#requireAllowed(url, caller);
    return { url, sessions, events, ...(chats ? { chats } : {}), ...(from ? { from } : {}) };
  }

  async #requireAllowed(url: string, { keyId, signal }: Caller): Promise<void> {
    try {
      requireSecure(new URL(url), this.#guard);
      await this.#guard.resolve(new URL(url), { owner: keyId, signal });
    } catch (error) {
      throw new GatewayError('url_not_allowed', `the url of the webhook is not allowed: ${refusalReason(error)}`);
    }
  }

  #now(): string {
    return this.#dependencies.events.feed({ after: undefined, session: undefined, takes: () => true }).position;
  }

  #stored(): StoredWebhook[] {
    return [...this.#webhooks.values()].map(({ stored }) => stored);
  }

  #viewOf(webhook: Webhook): WebhookView {
    const { stored, courier, progress: last } = webhook;
    const { id, url, sessions, events, chats, from, createdAt, disabled } = stored;
    const headerNames = Object.keys(headersOf(stored));
    const progress = courier?.progress ?? last;
    const { position, waiting, lastSuccessAt, lastFailure } = progress;
    const nextAttemptAt = courier?.nextAttemptAt;
    const iso = (at: number) => new Date(at).toISOString();
    return {
      id,
      url,
      sessions,
      events,
      ...(chats ? { chats } : {}),
      ...(from ? { from } : {}),
      ...(headerNames.length > 0 ? { headerNames } : {}),
      createdAt,
      position,
      status: disabled ? 'disabled' : courier?.isFailing ? 'failing' : 'active',
      ...(disabled ? { reason: disabled } : {}),
      waiting: waiting.filter(({ attempts }) => attempts > 0).length,
      deadLetters: this.#lettersOf(webhook).length,
      ...(lastSuccessAt === undefined ? {} : { lastSuccessAt: iso(lastSuccessAt) }),
      ...(lastFailure ? { lastFailure: { at: iso(lastFailure.at), message: lastFailure.message } } : {}),
      ...(nextAttemptAt === undefined ? {} : { nextAttemptAt: iso(nextAttemptAt) }),
    };
  }
}

/** Rejects only if the signal aborts. */
async function post(endpoint: Endpoint, delivery: Delivery, signal?: AbortSignal) {
  const startedAt = performance.now();
  const outcome = await endpoint.post(delivery, signal);
  const ms = Math.round(performance.now() - startedAt);
  const result = outcome.kind === 'delivered' ? { ok: true, ms } : { ok: false, ms, message: outcome.message };
  return { outcome, result };
}

function takenOver(): GatewayError {
  return new GatewayError('host_unreachable', 'another gateway is taking over the webhooks: try again', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

function notStored(error: unknown): never {
  if (error instanceof GatewayError) throw error;
  throw new GatewayError('insufficient_resources', `nothing was changed: ${errorText(error)}`);
}

function gapIn({ id, session, at, gap }: StoredLetter): Entry | undefined {
  return gap === undefined ? undefined : { id, event: 'gap', session, at: Date.parse(at), text: gap };
}

/** The owner of a webhook; absent for the operator. */
function ownerOf({ id, keyId }: Caller): Pick<StoredWebhook, 'owner'> {
  if (id === OPEN) return { owner: OPEN };
  return keyId === undefined ? {} : { owner: keyId };
}

/** What the webhook may have. It gets the gaps of its sessions whatever it filters for. */
function takesOf(stored: StoredWebhook): Takes {
  return (session, name, event) =>
    covers(stored, session) && (name === 'gap' || stored.events.includes(name)) && passes(stored, name, event);
}

/** True unless the webhook was limited since to fewer sessions or events. What else it filters for is in the event. */
function mayHave(stored: StoredWebhook, { session, event }: StoredLetter): boolean {
  return session === undefined || takesOf(stored)(session, event as EventName); // Ours.
}

/** True if a caller or webhook has all sessions of a pattern. Stars of the pattern match only stars. */
function covers({ sessions }: Pick<Caller, 'sessions'>, pattern: string): boolean {
  return sessions.some((own) => matchesPattern(own, pattern));
}

function sees(caller: Caller, { sessions }: StoredWebhook): boolean {
  return sessions.every((pattern) => covers(caller, pattern));
}

/** Hides attempts from before the webhook was limited to fewer sessions from keys that cover only these. */
function isSeen({ session }: { readonly session?: string | undefined }, caller: Caller): boolean {
  return session === undefined || caller.sees(session);
}
