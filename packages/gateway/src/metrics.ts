import { setTimeout as delay } from 'node:timers/promises';
import { webhookView } from '@chat-web/protocol';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Refusals } from './access/refusals.ts';
import type { EventLog } from './events/event-log.ts';
import type { ConnectionCount } from './http/connections.ts';
import type { Journal } from './journal/journal.ts';
import type { Levels } from './levels.ts';
import type { Mover } from './moving/mover.ts';
import type { Pacing } from './sends/pacing.ts';
import { countsOf } from './sessions/session-view.ts';
import type { Supervisor } from './sessions/supervisor.ts';
import type { Webhooks } from './webhooks/webhooks.ts';

/** Sources of the metrics. */
export interface MetricsSources {
  readonly supervisor: Supervisor;
  readonly levels: Levels;
  readonly refusals: Pick<Refusals, 'counts'>;
  readonly events: Pick<EventLog, 'gaps'>;
  readonly journal: Pick<Journal, 'onWrite'>;
  readonly pacing: Pick<Pacing, 'refused'>;
  readonly webhooks: Pick<Webhooks, 'counts' | 'views'>;
  readonly mover: Pick<Mover, 'counts'>;
}

const PREFIX = 'chat_web_';
const SECOND_MS = 1_000;
const LOOP_PRECISION_MS = 50;
/** After this time the loop has been sampled, unless it was blocked. */
const SAMPLE_MS = 3 * LOOP_PRECISION_MS;
const WITHOUT_SAMPLE = /^nodejs_eventloop_lag_mean_seconds nan$/im;
const MOST_ATTEMPTS = 10;

/**
 * The gateway's Prometheus metrics. Gauges are read on each scrape. Labels are session ids, page versions, and names
 * and codes from fixed lists, never other outside input.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Counter<'operation' | 'status'>;
  readonly #durations: Histogram<'operation'>;
  #watched: Promise<void> | undefined;

  constructor(sources: MetricsSources) {
    const registers = [this.#registry];
    this.#requests = new Counter({
      ...{ name: `${PREFIX}requests_total`, help: 'Answered requests by operation and HTTP status', registers },
      labelNames: ['operation', 'status'],
    });
    this.#durations = new Histogram({
      ...{ name: `${PREFIX}request_duration_seconds`, help: 'Request duration by operation', registers },
      labelNames: ['operation'],
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    });
    sessionGauges(sources.supervisor, registers);
    levelGauges(sources.levels, registers);
    refusalCounter(sources.refusals, registers);
    journalMetrics(sources, registers);
    pacingCounter(sources.pacing, registers);
    webhookMetrics(sources.webhooks, registers);
    moveCounter(sources.mover, registers);
  }

  /** Adds the connection metrics. Separate, since the server is created after the metrics. */
  watchConnections(count: ConnectionCount): void {
    const registers = [this.#registry];
    new Gauge({
      ...{ name: `${PREFIX}connections_open`, help: 'Open connections', registers },
      async collect() {
        this.set(await count.open());
      },
    });
    new Counter({
      ...{
        name: `${PREFIX}connections_dropped_total`,
        help: 'Connections dropped because the limit was reached',
        registers,
      },
      collect() {
        this.reset();
        this.inc(count.dropped);
      },
    });
  }

  /** Content type of `text`. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Counts one answered request. */
  answered(operation: string, status: number, ms: number): void {
    this.#requests.inc({ operation, status: String(status) });
    this.#durations.observe({ operation }, ms / SECOND_MS);
  }

  /** All metrics in the Prometheus text format. */
  async text(): Promise<string> {
    this.#watched ??= this.#watchProcess();
    await this.#watched;
    // Each scrape begins the next sample of the loop: on a busy machine, and right after another scrape, there is none.
    for (let attempt = 1; ; attempt += 1) {
      const text = await this.#registry.metrics();
      if (attempt === MOST_ATTEMPTS || !WITHOUT_SAMPLE.test(text)) return text;
      await delay(SAMPLE_MS);
    }
  }

  /**
   * Event loop, memory, CPU, file descriptors, from the first scrape on: sampling the loop wakes this process 20 times
   * a second, which is most of its work while all sessions are idle. The default precision of 10 ms would wake it 100
   * times.
   */
  async #watchProcess(): Promise<void> {
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: LOOP_PRECISION_MS });
    await delay(SAMPLE_MS);
  }
}

function sessionGauges(supervisor: Supervisor, registers: Registry[]): void {
  new Gauge({
    ...{ name: `${PREFIX}sessions`, help: 'Sessions by status', labelNames: ['status'], registers },
    collect() {
      for (const [status, count] of Object.entries(countsOf(supervisor.list()))) this.set({ status }, count);
    },
  });
  new Counter({
    ...{ name: `${PREFIX}session_restarts_total`, help: 'Session restarts by reason', registers },
    labelNames: ['session', 'reason'],
    collect() {
      this.reset();
      for (const { id, state } of supervisor.list())
        for (const [reason, times] of Object.entries(state.restarts)) this.inc({ session: id, reason }, times);
    },
  });
  new Gauge({
    ...{ name: `${PREFIX}session_memory_bytes`, help: 'Memory (PSS) of a session by process', registers },
    labelNames: ['session', 'process'],
    collect() {
      this.reset();
      for (const { id, stats } of supervisor.list()) {
        if (!stats.memory) continue;
        this.set({ session: id, process: 'worker' }, stats.memory.workerBytes);
        this.set({ session: id, process: 'browser' }, stats.memory.browserBytes);
      }
    },
  });
  new Gauge({
    ...{ name: `${PREFIX}session_disk_bytes`, help: "Size of a session's folder", registers },
    labelNames: ['session'],
    collect() {
      this.reset();
      for (const { id, stats } of supervisor.list())
        if (stats.diskBytes !== undefined) this.set({ session: id }, stats.diskBytes);
    },
  });
  new Gauge({
    ...{ name: `${PREFIX}session_page_info`, help: 'Page build of a session', registers },
    labelNames: ['session', 'version'],
    collect() {
      this.reset();
      for (const { id, page } of supervisor.list()) if (page) this.set({ session: id, version: page.version }, 1);
    },
  });
  new Gauge({
    ...{ name: `${PREFIX}session_degraded`, help: "Capabilities that do not work on a session's page", registers },
    labelNames: ['session', 'capability'],
    collect() {
      this.reset();
      for (const { id, page } of supervisor.list())
        for (const { capability } of page?.degraded ?? []) this.set({ session: id, capability }, 1);
    },
  });
  new Gauge({
    ...{
      name: `${PREFIX}seconds_since_last_event`,
      help: 'Seconds since the last traffic from the network',
      registers,
    },
    labelNames: ['session'],
    collect() {
      this.reset();
      for (const { id, stats } of supervisor.list())
        if (stats.lastEventAt) this.set({ session: id }, (Date.now() - stats.lastEventAt.getTime()) / SECOND_MS);
    },
  });
}

function refusalCounter(refusals: Pick<Refusals, 'counts'>, registers: Registry[]): void {
  new Counter({
    ...{ name: `${PREFIX}refused_total`, help: 'Requests refused because of their caller, by kind', registers },
    labelNames: ['kind'],
    collect() {
      this.reset();
      for (const [kind, count] of refusals.counts()) this.inc({ kind }, count);
    },
  });
}

function pacingCounter(pacing: Pick<Pacing, 'refused'>, registers: Registry[]): void {
  new Counter({
    ...{ name: `${PREFIX}sends_refused_total`, help: 'Sends refused by pacing, by limit', registers },
    labelNames: ['limit'],
    collect() {
      this.reset();
      for (const [limit, count] of pacing.refused) this.inc({ limit }, count);
    },
  });
}

function moveCounter(mover: Pick<Mover, 'counts'>, registers: Registry[]): void {
  new Counter({
    ...{
      name: `${PREFIX}session_moves_total`,
      help: 'Sessions exported and imported, imports refused, and imports that failed',
      registers,
    },
    labelNames: ['outcome'],
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(mover.counts)) this.inc({ outcome }, count);
    },
  });
}

function webhookMetrics(webhooks: MetricsSources['webhooks'], registers: Registry[]): void {
  new Counter({
    ...{ name: `${PREFIX}webhook_attempts_total`, help: 'Attempts to deliver an event, by outcome', registers },
    labelNames: ['webhook', 'outcome'],
    collect() {
      this.reset();
      for (const [webhook, { delivered, failed }] of webhooks.counts) {
        this.inc({ webhook, outcome: 'delivered' }, delivered);
        this.inc({ webhook, outcome: 'failed' }, failed);
      }
    },
  });
  new Counter({
    ...{
      name: `${PREFIX}webhook_dead_letters_total`,
      help: 'Events that became dead letters after their last attempt',
      registers,
    },
    labelNames: ['webhook'],
    collect() {
      this.reset();
      for (const [webhook, { dead }] of webhooks.counts) this.inc({ webhook }, dead);
    },
  });
  new Gauge({
    ...{ name: `${PREFIX}webhooks`, help: 'Webhooks by status', labelNames: ['status'], registers },
    collect() {
      for (const status of webhookView.entries.status.options) this.set({ status }, 0);
      for (const { status } of webhooks.views()) this.inc({ status });
    },
  });
}

function journalMetrics({ journal, events }: MetricsSources, registers: Registry[]): void {
  const durations = new Histogram({
    ...{ name: `${PREFIX}journal_write_seconds`, help: 'Time until events are on disk', registers },
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.2, 1, 5],
  });
  const records = new Counter({
    ...{ name: `${PREFIX}journal_records_total`, help: 'Records written to the journal', registers },
  });
  journal.onWrite((ms, count) => {
    durations.observe(ms / SECOND_MS);
    records.inc(count);
  });
  new Counter({
    ...{ name: `${PREFIX}event_gaps_total`, help: 'Gaps reported to readers, by reason', registers },
    labelNames: ['reason'],
    collect() {
      this.reset();
      for (const [reason, count] of events.gaps) this.inc({ reason }, count);
    },
  });
}

function levelGauges(levels: Levels, registers: Registry[]): void {
  for (const [name, { help, read }] of Object.entries(levels)) {
    new Gauge({
      ...{ name: `${PREFIX}${name}`, help, registers },
      collect() {
        this.set(read());
      },
    });
  }
}
