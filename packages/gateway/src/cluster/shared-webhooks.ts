import { EVENT_ID, errorText, GatewayError } from '@chat-web/protocol';
import * as v from 'valibot';
import { OLDEST } from '../events/feed.ts';
import type { NewRecord } from '../journal/frame.ts';
import { Turns } from '../journal/turns.ts';
import type { Log } from '../log.ts';
import type { WebhookFile } from '../webhooks/webhook-file.ts';
import {
  NOTES,
  type Progress,
  progressNotes,
  type StoredLetter,
  WebhookProgress,
} from '../webhooks/webhook-progress.ts';
import { type StoredWebhook, storedWebhook, type WebhookStore } from '../webhooks/webhook-store.ts';
import type { ClusterWebhooks, WebhookDeliverer } from './cluster.ts';
import type { Engine } from './engine.ts';
import { placeText } from './log-feed.ts';
import { PlacedEvents } from './placed-events.ts';
import type { SharedLog } from './shared-log.ts';

interface Dependencies {
  readonly engine: Engine;
  readonly events: SharedLog;
  readonly host: string;
  /** Of the claim of this gateway. */
  readonly epoch: () => number;
  /** True once the others can read all that this host has stored before it joined. */
  readonly hasShipped: () => boolean;
  readonly refreshKeys: () => Promise<void>;
  readonly log: Log;
}

/** By both clocks: one stops while the machine is suspended, the other can be set. */
interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/** Less than the time after which a host counts as lost, minus the time between two of its beats. */
const DUTY_MS = 20_000;
const RETRY_AFTER_SECONDS = 2;
/** How many changes are stored at a time: beats need a connection, too. */
const MAX_CHANGING = 2;
/** SQLSTATE of `require_duty`. */
const READ_AGAIN = 'CW001';

/**
 * The webhooks of a cluster, in its database. The gateway that has the duty delivers them; each gateway looks once a
 * second whether it is its turn.
 */
export class SharedWebhooks implements WebhookStore, ClusterWebhooks {
  readonly events: PlacedEvents;
  progress = new WebhookProgress();
  readonly #dependencies: Dependencies;
  /** Of this host, from before it joined. */
  readonly #own: WebhookFile;
  #deliverer: WebhookDeliverer | undefined;
  /** The host that has the duty, as far as is known. */
  #host: string | undefined;
  /** What the deliverer has read, while this host has the duty. */
  #read: { readonly term: string; readonly timeline: string | undefined; readonly losses: number } | undefined;
  #isDelivering = false;
  /** When this host was known to have the duty. */
  #confirmedAt: Moment = { monotonic: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY };
  #stopTimer: NodeJS.Timeout | undefined;
  #isImported = false;
  #hasLeft = false;
  readonly #turns = new Turns(MAX_CHANGING);
  #keeping: Promise<void> | undefined;

  constructor(own: WebhookFile, dependencies: Dependencies) {
    this.#own = own;
    this.#dependencies = dependencies;
    this.events = new PlacedEvents(dependencies.events);
    dependencies.events.onDeleted = (session) =>
      this.progress.apply({ kind: 'forget', name: '', session, key: '', text: '' });
  }

  readonly store = this;

  deliverBy(deliverer: WebhookDeliverer): void {
    this.#deliverer = deliverer;
  }

  /** The host that has the duty, as far as is known. */
  get knownHost(): string | undefined {
    return this.#host;
  }

  /** The same. Throws while this one does not deliver them. */
  requireHost(): string | undefined {
    if (this.#host !== this.#dependencies.host || this.#isDelivering) return this.#host;
    if (!this.#read) throw unavailable('are being taken over');
    throw new GatewayError('engine_unavailable', 'the database of the cluster cannot be reached');
  }

  /** Finds out who has the duty. */
  async find(): Promise<void> {
    const [row] = await this.#dependencies.engine.query<{ host: string | null }>(
      'SELECT chat_web.webhook_host() AS host',
    );
    this.#host = row?.host ?? undefined;
  }

  /** Finds out who has the duty, and takes or gives it up. Callers at the same time share that. */
  keep(): Promise<void> {
    this.#keeping ??= this.#keep().finally(() => {
      this.#keeping = undefined;
    });
    return this.#keeping;
  }

  async #keep(): Promise<void> {
    const { engine, events, host, epoch } = this.#dependencies;
    // Positions mean nothing before it is known where the events are.
    if (!this.#deliverer || !events.newest || this.#hasLeft) return;
    const now = { monotonic: performance.now(), wall: Date.now() };
    const [row] = await engine.query<{ host: string | null; term: string }>(
      'SELECT * FROM chat_web.take_webhooks($1)',
      [epoch()],
    );
    this.#host = row?.host ?? undefined;
    if (row?.host === host) await this.#deliver(row.term, now);
    else this.#unload();
    await this.#importOwn();
  }

  async #deliver(term: string, now: Moment): Promise<void> {
    const { events, refreshKeys, log } = this.#dependencies;
    this.#confirm(now);
    const { timeline, losses } = events;
    const isKnown = this.#read?.term === term && this.#read.timeline === timeline && this.#read.losses === losses;
    if (!isKnown) {
      this.#stop();
      this.#read = { term, timeline, losses };
      try {
        await refreshKeys(); // A webhook ends with the key that owns it.
        await this.#deliverer?.load();
      } catch (error) {
        this.#unload();
        throw error;
      }
    }
    if (this.#isDelivering || this.#hasLeft) return;
    this.#isDelivering = true;
    await this.#deliverer?.start();
    log.info('webhooks delivered from here');
  }

  #unload(): void {
    this.#read = undefined;
    this.#isDelivering = false;
    this.#deliverer?.unload();
  }

  async leave(): Promise<void> {
    this.#hasLeft = true;
    clearTimeout(this.#stopTimer);
    const { engine, epoch } = this.#dependencies;
    await engine.query('SELECT chat_web.leave_webhooks($1)', [epoch()]).catch(() => {}); // The host is not live soon.
    this.#host = undefined;
  }

  /** Without the database, it is not known for long. */
  #confirm(now: Moment): void {
    this.#confirmedAt = now;
    clearTimeout(this.#stopTimer);
    this.#stopTimer = setTimeout(() => this.#stop(), DUTY_MS).unref();
  }

  #stop(): void {
    this.#isDelivering = false;
    this.#deliverer?.stop();
  }

  assertOwn(): void {
    const { monotonic, wall } = this.#confirmedAt;
    // The monotonic clock stops while a machine is suspended.
    if (performance.now() - monotonic < DUTY_MS && Date.now() - wall < DUTY_MS) return;
    this.#stop();
    throw unavailable('may be delivered from elsewhere');
  }

  // For the deliverer.

  async load(): Promise<StoredWebhook[]> {
    const rows = await this.#query<{ id: string; stored: string; progress: string }>(
      'SELECT * FROM chat_web.list_webhooks($1, $2, $3)',
    );
    const progress = new WebhookProgress();
    const webhooks: StoredWebhook[] = [];
    for (const row of rows) {
      const letters = await this.#query<{ letter: string }>(
        'SELECT letter FROM chat_web.list_dead_letters($1, $2, $3, $4) AS letter',
        row.id,
      );
      const webhook = this.#parsed(row.id, () => v.parse(storedWebhook, JSON.parse(row.stored)));
      if (!webhook) continue;
      webhooks.push(webhook);
      this.#parsed(row.id, () => progress.apply(progressNotes.progress(row.id, JSON.parse(row.progress))));
      for (const { letter } of letters)
        this.#parsed(row.id, () => progress.apply(progressNotes.dead(row.id, JSON.parse(letter))));
    }
    this.progress = progress;
    return webhooks;
  }

  /** Undefined if it is not valid: a host that was taken over may have written it. */
  #parsed<T>(id: string, parse: () => T): T | undefined {
    try {
      return parse();
    } catch (error) {
      this.#dependencies.log.error({ webhook: id, error: errorText(error) }, 'webhook not readable');
      return undefined;
    }
  }

  async create(webhook: StoredWebhook, progress: Progress): Promise<void> {
    await this.#put(webhook, JSON.stringify(progress));
    this.progress.apply(progressNotes.progress(webhook.id, progress));
  }

  async change(webhook: StoredWebhook): Promise<void> {
    await this.#put(webhook, null);
  }

  async #put(webhook: StoredWebhook, progress: string | null): Promise<void> {
    const text = JSON.stringify(webhook);
    await this.#change('SELECT chat_web.put_webhook($1, $2, $3, $4, $5, $6)', webhook.id, text, progress);
  }

  async remove({ id }: StoredWebhook): Promise<void> {
    await this.#change('SELECT chat_web.remove_webhook($1, $2, $3, $4)', id);
    this.progress.apply(progressNotes.removed(id));
  }

  async note({ id }: StoredWebhook, record: NewRecord): Promise<void> {
    const { name, session, text } = record;
    if (name === NOTES.progress) await this.#query('SELECT chat_web.save_progress($1, $2, $3, $4, $5)', id, text);
    else if (name === NOTES.replayed)
      await this.#query('SELECT chat_web.remove_dead_letter($1, $2, $3, $4, $5)', id, text);
    else {
      const { id: event } = JSON.parse(text) as StoredLetter;
      await this.#query('SELECT chat_web.add_dead_letter($1, $2, $3, $4, $5, $6, $7)', id, event, session, text);
    }
    this.progress.apply(record);
  }

  /** After an error, it may have been stored: then all are read again. */
  async #change(text: string, ...values: (string | null)[]): Promise<void> {
    try {
      await this.#query(text, ...values);
    } catch (error) {
      this.#read = undefined;
      throw error;
    }
  }

  async #query<Row extends Record<string, unknown>>(text: string, ...values: (string | null)[]): Promise<Row[]> {
    const { engine, epoch } = this.#dependencies;
    const { term = '0', timeline = '' } = this.#read ?? {};
    try {
      return await this.#turns.run('', () => engine.query<Row>(text, [epoch(), term, timeline, ...values]));
    } catch (error) {
      if ((error as { code?: string }).code === READ_AGAIN) throw unavailable('are being taken over');
      throw error;
    }
  }

  // From before this host joined.

  async #importOwn(): Promise<void> {
    const { engine, epoch, hasShipped } = this.#dependencies;
    if (this.#isImported || !hasShipped()) return;
    const webhooks = await this.#own.load();
    for (const [at, webhook] of webhooks.entries()) {
      const { id } = webhook;
      const letters = this.#own.progress.deadLetters(id);
      await engine.query('SELECT chat_web.import_webhook($1, $2, $3, $4, $5, $6, $7)', [
        epoch(),
        id,
        JSON.stringify(webhook),
        JSON.stringify(await this.#placedProgress(id)),
        letters.map((letter) => letter.id),
        letters.map(({ session = '' }) => session),
        letters.map((letter) => JSON.stringify(letter)),
      ]);
      await this.#own.remove(webhook, webhooks.slice(at + 1));
      this.#dependencies.log.info({ webhook: id }, 'webhook added to the cluster');
    }
    this.#isImported = true;
  }

  async #placedProgress(id: string): Promise<Progress> {
    const progress = this.#own.progress.of(id) ?? { position: OLDEST, waiting: [] };
    const position = await this.#place(progress.position);
    const waiting = [];
    for (const one of progress.waiting) waiting.push({ ...one, after: await this.#place(one.after) });
    return { ...progress, position, waiting };
  }

  /** Of a position in the journal. Nothing of other hosts is added to what follows it there. */
  async #place(position: string): Promise<string> {
    const [, origin, seq] = EVENT_ID.exec(position) ?? [];
    const placed = await this.events.resolve(position);
    if (placed !== position || origin === undefined) return placed;
    const [row] = await this.#dependencies.engine.query<{ n: string }>('SELECT chat_web.find_next($1, $2) AS n', [
      origin,
      seq,
    ]);
    return placeText(Number(row?.n ?? 0));
  }
}

function unavailable(why: string): GatewayError {
  return new GatewayError('host_unreachable', `the webhooks ${why}: try again`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
