import { setTimeout as delay } from 'node:timers/promises';
import { closesNewChats, SECOND_MS, webhookView } from '@chat-web/protocol';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Refusals } from '../access/refusal.ts';
import type { EventLog } from '../events/event-log.ts';
import type { Damage } from '../host/damage.ts';
import type { Journal } from '../journal/journal.ts';
import type { Mover } from '../moving/mover.ts';
import type { Pacing } from '../sends/pacing.ts';
import { countsByStatus } from '../sessions/session-view.ts';
import type { Supervisor } from '../sessions/supervisor.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { Levels } from './levels.ts';

interface Dependencies {
  readonly supervisor: Supervisor;
  readonly levels: Levels;
  readonly refusals: Pick<Refusals, 'counts'>;
  readonly events: Pick<EventLog, 'gaps'>;
  readonly journal: Pick<Journal, 'onWrite'>;
  readonly pacing: Pick<Pacing, 'refused'>;
  readonly webhooks: Pick<Webhooks, 'counts' | 'views'>;
  readonly mover: Pick<Mover, 'counts'>;
  readonly damage: Pick<Damage, 'counts'>;
}

const PREFIX = 'chat_web_';
const LOOP_PRECISION_MS = 50;
/** After this time the loop has been sampled, unless it was blocked. */
const SAMPLE_MS = 3 * LOOP_PRECISION_MS;
const WITHOUT_SAMPLE = /^nodejs_eventloop_lag_mean_seconds nan$/im;
const MAX_ATTEMPTS = 10;

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

/** A gauge or a counter that is read on each scrape. */
interface ReadMetric {
  readonly help: string;
  readonly labelNames?: readonly string[];
  read(): Iterable<Sample> | Promise<Iterable<Sample>>;
}

/** By name, without the prefix. */
type Table = Readonly<Record<string, ReadMetric>>;

/** The gateway's Prometheus metrics. Labels are session ids, page versions, and names and codes from fixed lists. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Counter<'operation' | 'status'>;
  readonly #durations: Histogram<'operation'>;
  #watched: Promise<void> | undefined;

  constructor(dependencies: Dependencies) {
    const registers = [this.#registry];
    this.#requests = new Counter({
      name: `${PREFIX}requests_total`,
      help: 'Requests by operation and HTTP status',
      registers,
      labelNames: ['operation', 'status'],
    });
    this.#durations = new Histogram({
      name: `${PREFIX}request_duration_seconds`,
      help: 'Request duration by operation',
      registers,
      labelNames: ['operation'],
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    });
    watchJournal(dependencies.journal, registers);
    this.#add(tableOf(dependencies));
    for (const [name, { help, read }] of Object.entries(dependencies.levels))
      this.#add({ [name]: { help, read: () => [[{}, read()]] } });
  }

  /** Adds the connection metrics. Separate, since the server is created after the metrics. */
  watchConnections(count: { open(): Promise<number>; readonly dropped: number }): void {
    this.#add({
      connections_open: { help: 'Open connections', read: async () => [[{}, await count.open()]] },
      connections_dropped_total: {
        help: 'Connections dropped because the limit was reached',
        read: () => [[{}, count.dropped]],
      },
    });
  }

  #add(table: Table): void {
    const registers = [this.#registry];
    for (const [name, { help, labelNames = [], read }] of Object.entries(table)) {
      const metric = { name: PREFIX + name, help, registers, labelNames };
      // By the convention of Prometheus, the names of counters end with `_total`.
      if (name.endsWith('_total'))
        new Counter({
          ...metric,
          async collect() {
            const samples = await read();
            this.reset();
            for (const [labels, value] of samples) this.inc(labels, value);
          },
        });
      else
        new Gauge({
          ...metric,
          async collect() {
            const samples = await read();
            this.reset();
            for (const [labels, value] of samples) this.set(labels, value);
          },
        });
    }
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

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
      if (attempt === MAX_ATTEMPTS || !WITHOUT_SAMPLE.test(text)) return text;
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

function by(label: string, values: Iterable<readonly [string, number]>): Sample[] {
  return Array.from(values, ([name, value]) => [{ [label]: name }, value]);
}

function tableOf({ supervisor, refusals, pacing, mover, webhooks, events, damage }: Dependencies): Table {
  return {
    sessions: {
      help: 'Sessions by status',
      labelNames: ['status'],
      read: () => by('status', Object.entries(countsByStatus(supervisor.list()))),
    },
    session_memory_bytes: {
      help: 'Memory (PSS) of a session by process',
      labelNames: ['session', 'process'],
      *read() {
        for (const { id, stats } of supervisor.list()) {
          if (!stats.memory) continue;
          yield [{ session: id, process: 'worker' }, stats.memory.workerBytes];
          yield [{ session: id, process: 'browser' }, stats.memory.browserBytes];
        }
      },
    },
    session_disk_bytes: {
      help: "Size of a session's folder",
      labelNames: ['session'],
      *read() {
        for (const { id, stats } of supervisor.list())
          if (stats.diskBytes !== undefined) yield [{ session: id }, stats.diskBytes];
      },
    },
    session_page_info: {
      help: 'Page build of a session',
      labelNames: ['session', 'version'],
      *read() {
        for (const { id, page } of supervisor.list()) if (page) yield [{ session: id, version: page.version }, 1];
      },
    },
    session_degraded: {
      help: "Capabilities that do not work on a session's page",
      labelNames: ['session', 'capability'],
      *read() {
        for (const { id, page } of supervisor.list())
          for (const { capability } of page?.degraded ?? []) yield [{ session: id, capability }, 1];
      },
    },
    session_limited: {
      help: "Limits of WhatsApp that keep a session's account from writing to new people",
      labelNames: ['session', 'kind'],
      *read() {
        for (const { id, limits } of supervisor.list())
          for (const limit of limits ?? []) if (closesNewChats(limit)) yield [{ session: id, kind: limit.kind }, 1];
      },
    },
    seconds_since_last_event: {
      help: 'Seconds since the last traffic from the network',
      labelNames: ['session'],
      *read() {
        for (const { id, stats } of supervisor.list())
          if (stats.lastEventAt) yield [{ session: id }, (Date.now() - stats.lastEventAt.getTime()) / SECOND_MS];
      },
    },
    webhooks: {
      help: 'Webhooks by status',
      labelNames: ['status'],
      read: () => {
        const views = webhooks.views();
        const { options } = webhookView.entries.status;
        return by(
          'status',
          options.map((status) => [status, views.filter((view) => view.status === status).length]),
        );
      },
    },
    data_damaged: {
      help: 'Files of the data folder that were set aside as unreadable, and journal records that were skipped, by part',
      labelNames: ['part'],
      read: () => by('part', damage.counts),
    },
    session_restarts_total: {
      help: 'Session restarts by reason',
      labelNames: ['session', 'reason'],
      *read() {
        for (const { id, state } of supervisor.list())
          for (const [reason, times] of Object.entries(state.restarts)) yield [{ session: id, reason }, times];
      },
    },
    refused_total: {
      help: 'Requests refused because of their caller, by kind',
      labelNames: ['kind'],
      read: () => by('kind', refusals.counts()),
    },
    sends_refused_total: {
      help: 'Sends refused by pacing, by limit',
      labelNames: ['limit'],
      read: () => by('limit', pacing.refused),
    },
    session_moves_total: {
      help: 'Sessions exported and imported, imports refused, and imports that failed',
      labelNames: ['outcome'],
      read: () => by('outcome', Object.entries(mover.counts)),
    },
    webhook_attempts_total: {
      help: 'Attempts to deliver an event, by outcome',
      labelNames: ['webhook', 'outcome'],
      *read() {
        for (const [webhook, { delivered, failed }] of webhooks.counts) {
          yield [{ webhook, outcome: 'delivered' }, delivered];
          yield [{ webhook, outcome: 'failed' }, failed];
        }
      },
    },
    webhook_dead_letters_total: {
      help: 'Events that became dead letters after their last attempt',
      labelNames: ['webhook'],
      *read() {
        for (const [webhook, { dead }] of webhooks.counts) yield [{ webhook }, dead];
      },
    },
    event_gaps_total: {
      help: 'Gaps reported to readers, by reason',
      labelNames: ['reason'],
      read: () => by('reason', events.gaps),
    },
  };
}

function watchJournal(journal: Dependencies['journal'], registers: Registry[]): void {
  const durations = new Histogram({
    name: `${PREFIX}journal_write_seconds`,
    help: 'Time until events are on disk',
    registers,
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.2, 1, 5],
  });
  const records = new Counter({
    name: `${PREFIX}journal_records_total`,
    help: 'Records written to the journal',
    registers,
  });
  journal.onWrite((ms, count) => {
    durations.observe(ms / SECOND_MS);
    records.inc(count);
  });
}
