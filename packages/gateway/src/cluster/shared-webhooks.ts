import { errorText, GatewayError } from '@chat-web/protocol';
import * as v from 'valibot';
import type { Needs } from '../events/request-journal.ts';
import type { NewRecord } from '../journal/frame.ts';
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
  readonly log: Log;
}

/** Less than the time after which a host counts as lost, minus the time between two of its beats. */
const DUTY_MS = 20_000;
const RETRY_AFTER_SECONDS = 2;
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
  #confirmedAt = { monotonic: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY };
  #stopTimer: NodeJS.Timeout | undefined;
  #isImported = false;
  #keeping: Promise<void> | undefined;

  constructor(own: WebhookFile, dependencies: Dependencies) {
    this.#own = own;
    this.#dependencies = dependencies;
    this.events = new PlacedEvents(dependencies.events);
    dependencies.events.onDeleted = (session) =>
      this.progress.apply({ kind: 'forget', name: '', session, key: '', text: '' });
  }

  get store(): WebhookStore {
    return this;
  }

  deliverBy(deliverer: WebhookDeliverer): void {
    this.#deliverer = deliverer;
  }

  /** The host that has the duty, as far as is known. */
  get knownHost(): string | undefined {
    return this.#host;
  }

  /** The host whose gateway has the webhooks; undefined until that is known. Throws while this one reads them. */
  get host(): string | undefined {
    if (this.#host === this.#dependencies.host && !this.#isDelivering) throw unavailable('are being taken over');
    return this.#host;
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
    if (!this.#deliverer || !events.newest) return;
    await this.#importOwn();
    const now = { monotonic: performance.now(), wall: Date.now() };
    const [row] = await engine.query<{ host: string | null; term: string }>(
      'SELECT * FROM chat_web.take_webhooks($1)',
      [epoch()],
    );
    this.#host = row?.host ?? undefined;
    if (!row || row.host !== host) {
      if (this.#read) this.#deliverer.unload();
      this.#read = undefined;
      this.#isDelivering = false;
      return;
    }
    this.#confirm(now);
    const { timeline, losses } = events;
    const isKnown = this.#read?.term === row.term && this.#read.timeline === timeline && this.#read.losses === losses;
    if (!isKnown) {
      this.#stop();
      this.#read = { term: row.term, timeline, losses };
      await this.#deliverer.load();
    }
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    this.#deliverer.start();
    this.#dependencies.log.info('webhooks delivered from here');
  }

  /** Without the database, it is not known for long. */
  #confirm(now: { readonly monotonic: number; readonly wall: number }): void {
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
    const rows = await this.#change<{ id: string; stored: string; progress: string }>(
      'SELECT * FROM chat_web.list_webhooks($1, $2, $3)',
    );
    const progress = new WebhookProgress();
    const webhooks: StoredWebhook[] = [];
    for (const row of rows) {
      try {
        const webhook = v.parse(storedWebhook, JSON.parse(row.stored));
        progress.apply(progressNotes.progress(row.id, JSON.parse(row.progress)));
        const letters = await this.#change<{ letter: string }>(
          'SELECT letter FROM chat_web.list_dead_letters($1, $2, $3, $4) AS letter',
          row.id,
        );
        for (const { letter } of letters) progress.apply(progressNotes.dead(row.id, JSON.parse(letter)));
        webhooks.push(webhook);
      } catch (error) {
        if (error instanceof GatewayError) throw error;
        // A host that was taken over may have written it.
        this.#dependencies.log.error({ webhook: row.id, error: errorText(error) }, 'webhook not readable');
      }
    }
    this.progress = progress;
    return webhooks;
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

  async note({ id }: StoredWebhook, record: NewRecord, _?: Needs): Promise<void> {
    const { name, session, text } = record;
    if (name === NOTES.progress) await this.#change('SELECT chat_web.save_progress($1, $2, $3, $4, $5)', id, text);
    else if (name === NOTES.replayed)
      await this.#change('SELECT chat_web.remove_dead_letter($1, $2, $3, $4, $5)', id, text);
    else {
      const { id: event } = JSON.parse(text) as StoredLetter;
      await this.#change('SELECT chat_web.add_dead_letter($1, $2, $3, $4, $5, $6, $7)', id, event, session, text);
    }
    this.progress.apply(record);
  }

  async #change<Row extends Record<string, unknown>>(text: string, ...values: (string | null)[]): Promise<Row[]> {
    const { engine, epoch } = this.#dependencies;
    const { term, timeline } = this.#read ?? {};
    try {
      return await engine.query<Row>(text, [epoch(), term ?? '0', timeline ?? '', ...values]);
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
    const progress = this.#own.progress.of(id) ?? { position: 'oldest', waiting: [] };
    const position = await this.events.resolve(progress.position);
    const waiting = [];
    for (const one of progress.waiting) waiting.push({ ...one, after: await this.events.resolve(one.after) });
    return { ...progress, position, waiting };
  }
}

function unavailable(why: string): GatewayError {
  return new GatewayError('host_unreachable', `the webhooks ${why}: try again`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
