import { EVENT_ID, errorText, GatewayError } from '@chat-web/protocol';
import * as v from 'valibot';
import { OLDEST } from '../events/feed.ts';
import type { NewRecord } from '../journal/frame.ts';
import { Lock } from '../lock.ts';
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
import type { ClusterWebhooks, JournalEnd, WebhookDeliverer } from './cluster.ts';
import { type Engine, EngineUnavailable } from './engine.ts';
import { placeText } from './log-feed.ts';
import { PlacedEvents } from './placed-events.ts';
import type { SharedLog } from './shared-log.ts';

interface Dependencies {
  readonly engine: Engine;
  readonly events: SharedLog;
  readonly host: string;
  /** The epoch of this gateway's claim. */
  readonly epoch: () => number;
  /** The journal of this host, once the others can read all that was in it before it joined. */
  readonly shipped: () => Pick<JournalEnd, 'seqOf'> | undefined;
  readonly refreshKeys: () => Promise<void>;
  readonly log: Log;
}

interface DutyRow {
  readonly host: string | null;
  readonly term: string;
  readonly imports: string;
  readonly silent_ms: string | null;
  readonly is_leaving: boolean | null;
}

/** What the deliverer knows, while this host has the duty. */
interface Known {
  term: number;
  readonly timeline: string | undefined;
  readonly losses: number;
}

/** A time by both clocks: one stops while the machine is suspended, the other can be set. */
interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/** The duty ends this long after the last beat: before the host counts as lost. */
const DUTY_MS = 25_000;
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
  /** The webhooks of this host from before it joined. */
  readonly #own: WebhookFile;
  #deliverer: WebhookDeliverer | undefined;
  /** The host that has the duty, as far as is known. */
  #host: string | undefined;
  #known: Known | undefined;
  /** How many webhooks had been imported when they were read. */
  #imports = 0;
  #isDelivering = false;
  /** True if a change may have been stored, so that all webhooks have to be read again. */
  #isUnsure = false;
  /** The last beat of this host that is known to be stored, while it had the duty. */
  #beatAt: Moment = { monotonic: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY };
  #stopTimer: NodeJS.Timeout | undefined;
  #isImported = false;
  #hasLeft = false;
  /** What is stored stays in order, and beats need a connection, too. */
  readonly #lock = new Lock();
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

  /** As `knownHost`. Throws while this host has the duty, but does not deliver the webhooks. */
  requireHost(): string | undefined {
    if (this.#host !== this.#dependencies.host || this.#isDelivering) return this.#host;
    if (this.#isDue) throw unavailable('are being taken over');
    throw new EngineUnavailable(false);
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
    const isUnsure = this.#isUnsure;
    const take = () => engine.query<DutyRow>('SELECT * FROM chat_web.take_webhooks($1, $2)', [epoch(), isUnsure]);
    const [row] = await (isUnsure ? this.#lock.run(take) : take()); // A note under way would be refused.
    this.#host = row?.host ?? undefined;
    if (row?.host === host && row.is_leaving) {
      this.#unload(); // Before another one takes them.
      await this.#handOver();
    } else if (row?.host === host) await this.#deliver(row, now, isUnsure);
    else {
      this.#unload();
      this.#isUnsure = false; // The other host's term has ended what may be under way.
    }
    await this.#importOwn();
  }

  async #deliver(row: DutyRow, now: Moment, isUnsure: boolean): Promise<void> {
    const { events, refreshKeys, log } = this.#dependencies;
    this.#confirm(now, Number(row.silent_ms ?? 0));
    const { timeline, losses } = events;
    const [last, term, imports] = [this.#known, Number(row.term), Number(row.imports)];
    const isSameTerm = last !== undefined && term === last.term + (isUnsure ? 1 : 0);
    const goesOn = isSameTerm && last.timeline === timeline && last.losses === losses;
    // What it has in memory may be old, or its positions may have become those of other events.
    if (!goesOn) this.#unload();
    if (goesOn) last.term = term;
    else this.#known = { term, timeline, losses };
    if (!goesOn || isUnsure || imports !== this.#imports)
      try {
        await refreshKeys(); // A webhook ends with the key that owns it.
        await this.#deliverer?.load();
        this.#imports = imports;
        if (isUnsure) this.#isUnsure = false;
      } catch (error) {
        if (!goesOn) this.#unload();
        throw error;
      }
    if (this.#isDelivering || this.#hasLeft || !this.#isDue) return;
    this.#isDelivering = true;
    await this.#deliverer?.start();
    log.info('webhooks delivered from here');
  }

  #unload(): void {
    this.#known = undefined;
    this.#isDelivering = false;
    this.#deliverer?.unload();
  }

  async leave(): Promise<void> {
    this.#hasLeft = true;
    this.#stop();
    clearTimeout(this.#stopTimer);
    await this.#keeping?.catch(() => {}); // It might take them again.
    await this.#handOver().catch(() => {}); // The host is not live soon.
    this.#host = undefined;
  }

  async #handOver(): Promise<void> {
    const { engine, epoch } = this.#dependencies;
    await engine.query('SELECT chat_web.leave_webhooks($1)', [epoch()]);
  }

  /** The duty is confirmed by a beat. Without another one, deliveries stop. */
  #confirm({ monotonic, wall }: Moment, writtenMs: number): void {
    const silentMs = Math.max(0, writtenMs); // The clock of the database may have been set back.
    this.#beatAt = { monotonic: monotonic - silentMs, wall: wall - silentMs };
    clearTimeout(this.#stopTimer);
    this.#stopTimer = setTimeout(() => this.#stop(), Math.max(0, DUTY_MS - silentMs)).unref();
  }

  get #isDue(): boolean {
    const { monotonic, wall } = this.#beatAt;
    // The monotonic clock stops while a machine is suspended.
    return performance.now() - monotonic < DUTY_MS && Date.now() - wall < DUTY_MS;
  }

  #stop(): void {
    this.#isDelivering = false;
    this.#deliverer?.stop();
  }

  requireOwn(): void {
    if (this.#isDue) return;
    this.#stop();
    throw unavailable('may be delivered from elsewhere');
  }

  // For the deliverer.

  load(): Promise<StoredWebhook[]> {
    return this.#lock.run(() => this.#load());
  }

  async #load(): Promise<StoredWebhook[]> {
    const rows = await this.#query<{ id: string; stored: string; progress: string }>(
      'SELECT * FROM chat_web.list_webhooks($1, $2, $3)',
    );
    const letters = [];
    for (const { id } of rows) {
      const ofWebhook = await this.#query<{ session: string; place: string; letter: string }>(
        'SELECT * FROM chat_web.list_dead_letters($1, $2, $3, $4)',
        id,
      );
      letters.push(...ofWebhook.map((row) => ({ id, ...row })));
    }
    // The rest is one turn of the event loop: a session may be deleted at any time.
    const progress = new WebhookProgress();
    const webhooks: StoredWebhook[] = [];
    for (const { id, stored, progress: saved } of rows) {
      const webhook = this.#parsed(id, () => v.parse(storedWebhook, JSON.parse(stored)));
      if (!webhook) continue;
      webhooks.push(webhook);
      this.#parsed(id, () => progress.apply(progressNotes.progress(id, JSON.parse(saved))));
    }
    const { events } = this.#dependencies;
    for (const { id, session, place, letter } of letters)
      if (!events.isDeleted({ session, n: Number(place) }))
        this.#parsed(id, () => progress.apply(progressNotes.dead(id, JSON.parse(letter))));
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

  create(webhook: StoredWebhook, progress: Progress): Promise<void> {
    return this.#inTerm(async () => {
      await this.#put(webhook, JSON.stringify(progress));
      this.progress.apply(progressNotes.progress(webhook.id, progress));
    });
  }

  change(webhook: StoredWebhook): Promise<void> {
    return this.#inTerm(() => this.#put(webhook, null));
  }

  async #put(webhook: StoredWebhook, progress: string | null): Promise<void> {
    const values = [webhook.id, JSON.stringify(webhook), progress];
    await this.#change('SELECT chat_web.put_webhook($1, $2, $3, $4, $5, $6)', ...values);
  }

  remove({ id }: StoredWebhook): Promise<void> {
    return this.#inTerm(async () => {
      await this.#change('SELECT chat_web.remove_webhook($1, $2, $3, $4)', id);
      this.progress.apply(progressNotes.removed(id));
    });
  }

  note({ id }: StoredWebhook, record: NewRecord): Promise<void> {
    return this.#inTerm(() => this.#note(id, record));
  }

  async #note(id: string, record: NewRecord): Promise<void> {
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

  /** In its turn. Refused if another term has begun by then: positions may have become those of other events. */
  async #inTerm(work: () => Promise<void>): Promise<void> {
    const known = this.#known;
    await this.#lock.run(async () => {
      if (known !== this.#known) throw unavailable('are being taken over');
      await work();
    });
  }

  async #change(text: string, ...values: (string | null)[]): Promise<void> {
    if (this.#isUnsure) throw unavailable('are being read again');
    try {
      await this.#query(text, ...values);
    } catch (error) {
      if (!(error instanceof EngineUnavailable && error.mayHaveRun)) throw error;
      this.#isUnsure = true;
      throw new GatewayError('outcome_unknown', 'the database has not answered: see whether it has the change');
    }
  }

  async #query<Row extends Record<string, unknown>>(text: string, ...values: (string | null)[]): Promise<Row[]> {
    const { engine, epoch } = this.#dependencies;
    const known = this.#known;
    const { term = 0, timeline = '' } = known ?? {};
    try {
      return await engine.query<Row>(text, [epoch(), term, timeline, ...values]);
    } catch (error) {
      if ((error as { code?: string }).code !== READ_AGAIN) throw error;
      if (this.#known === known) this.#known = undefined;
      throw unavailable('are being taken over');
    }
  }

  // Webhooks from before this host joined.

  async #importOwn(): Promise<void> {
    const { engine, epoch, shipped } = this.#dependencies;
    const journal = shipped();
    if (this.#isImported || !journal) return;
    const webhooks = await this.#own.load();
    for (const [at, webhook] of webhooks.entries()) {
      const { id } = webhook;
      const letters = this.#own.progress.deadLetters(id);
      await engine.query('SELECT chat_web.import_webhook($1, $2, $3, $4, $5, $6, $7)', [
        epoch(),
        id,
        JSON.stringify(webhook),
        JSON.stringify(await this.#placedProgress(id, journal)),
        letters.map((letter) => letter.id),
        letters.map(({ session = '' }) => session),
        letters.map((letter) => JSON.stringify(letter)),
      ]);
      await this.#own.remove(webhook, webhooks.slice(at + 1));
      this.#dependencies.log.info({ webhook: id }, 'webhook added to the cluster');
    }
    this.#isImported = true;
  }

  async #placedProgress(id: string, journal: Pick<JournalEnd, 'seqOf'>): Promise<Progress> {
    const progress = this.#own.progress.of(id) ?? { position: OLDEST, waiting: [] };
    const position = await this.#place(progress.position, journal);
    const waiting = [];
    for (const one of progress.waiting) waiting.push({ ...one, after: await this.#place(one.after, journal) });
    return { ...progress, position, waiting };
  }

  /**
   * Of a position in the journal. Nothing of other hosts is added to what follows it there. One that the journal has not
   * issued stays, so that the webhook begins with a gap.
   */
  async #place(position: string, journal: Pick<JournalEnd, 'seqOf'>): Promise<string> {
    const placed = await this.events.resolve(position);
    if (placed !== position || journal.seqOf(position) === undefined) return placed;
    const [, origin, seq] = EVENT_ID.exec(position) ?? [];
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
