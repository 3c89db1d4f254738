import { sessionStatus } from '@chat-web/protocol';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Refusals } from './access/refusals.ts';
import type { ConnectionCount } from './http/connections.ts';
import type { Spool } from './media/spool.ts';
import type { StartQueue } from './sessions/start-queue.ts';
import type { Supervisor } from './sessions/supervisor.ts';

/** What the metrics are read from. */
export interface MetricsSources {
  readonly supervisor: Supervisor;
  readonly startQueue: StartQueue;
  readonly spool: Spool;
  readonly refusals: Pick<Refusals, 'counts'>;
}

const PREFIX = 'chat_web_';
const SECOND_MS = 1_000;

/**
 * The gateway's metrics in the format of Prometheus. Levels are read when they are asked for; labels are session ids,
 * operations and codes from fixed lists, never anything that came from outside.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Counter<'operation' | 'status'>;
  readonly #durations: Histogram<'operation'>;

  constructor(sources: MetricsSources) {
    // Event loop, memory, processor, file descriptors. Looking at the loop every 10 ms would double what idling costs.
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: 50 });
    const registers = [this.#registry];
    this.#requests = new Counter({
      ...{ name: `${PREFIX}requests_total`, help: 'Requests answered, by operation and HTTP status', registers },
      labelNames: ['operation', 'status'],
    });
    this.#durations = new Histogram({
      ...{ name: `${PREFIX}request_duration_seconds`, help: 'From request to answer, by operation', registers },
      labelNames: ['operation'],
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    });
    sessionGauges(sources.supervisor, registers);
    levelGauges(sources, registers);
    refusalCounter(sources.refusals, registers);
  }

  /** Shows the connections of the server, which listens after all else is put together. */
  watchConnections(count: ConnectionCount): void {
    const registers = [this.#registry];
    new Gauge({
      ...{ name: `${PREFIX}connections_open`, help: 'Connections that are open', registers },
      async collect() {
        this.set(await count.open());
      },
    });
    new Counter({
      ...{
        name: `${PREFIX}connections_dropped_total`,
        help: 'Connections closed at once, for want of room',
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

  /** One request has been answered. */
  answered(operation: string, status: number, ms: number): void {
    this.#requests.inc({ operation, status: String(status) });
    this.#durations.observe({ operation }, ms / SECOND_MS);
  }

  /** All of it, as Prometheus reads it. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }
}

function sessionGauges(supervisor: Supervisor, registers: Registry[]): void {
  new Gauge({
    ...{ name: `${PREFIX}sessions`, help: 'Sessions by status', labelNames: ['status'], registers },
    collect() {
      for (const status of sessionStatus.options) this.set({ status }, 0);
      for (const { phase } of supervisor.list()) this.inc({ status: phase.status });
    },
  });
  new Counter({
    ...{ name: `${PREFIX}session_restarts_total`, help: 'Restarts of a session, by reason', registers },
    labelNames: ['session', 'reason'],
    collect() {
      this.reset();
      for (const { id, state } of supervisor.list())
        for (const [reason, times] of Object.entries(state.restarts)) this.inc({ session: id, reason }, times);
    },
  });
  new Gauge({
    ...{ name: `${PREFIX}session_memory_bytes`, help: 'Proportional share of memory (PSS)', registers },
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
    ...{ name: `${PREFIX}session_disk_bytes`, help: 'Size of the folder of a session', registers },
    labelNames: ['session'],
    collect() {
      this.reset();
      for (const { id, stats } of supervisor.list())
        if (stats.diskBytes !== undefined) this.set({ session: id }, stats.diskBytes);
    },
  });
  new Gauge({
    ...{ name: `${PREFIX}session_page_info`, help: 'The build of the page that a session runs on', registers },
    labelNames: ['session', 'version'],
    collect() {
      this.reset();
      for (const { id, page } of supervisor.list()) if (page) this.set({ session: id, version: page.version }, 1);
    },
  });
  new Gauge({
    ...{ name: `${PREFIX}session_degraded`, help: 'What does not work on the page of a session', registers },
    labelNames: ['session', 'capability'],
    collect() {
      this.reset();
      for (const { id, page } of supervisor.list())
        for (const { capability } of page?.degraded ?? []) this.set({ session: id, capability }, 1);
    },
  });
  new Gauge({
    ...{ name: `${PREFIX}seconds_since_last_event`, help: 'Since the network was last heard of', registers },
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
    ...{ name: `${PREFIX}refused_total`, help: 'Requests refused because of who asked, by kind', registers },
    labelNames: ['kind'],
    collect() {
      this.reset();
      for (const [kind, count] of refusals.counts()) this.inc({ kind }, count);
    },
  });
}

function levelGauges({ supervisor, startQueue, spool }: MetricsSources, registers: Registry[]): void {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const levels: Record<string, { help: string; read: () => number }> = {
    starts_waiting: { help: 'Sessions that wait for their turn to boot', read: () => startQueue.waiting },
    starts_booting: { help: 'Sessions that are booting', read: () => startQueue.booting },
    spool_bytes: { help: 'Files on their way in and out', read: () => spool.bytes },
    calls_pending: {
      help: 'Calls to workers that have no answer yet',
      read: () => sum(supervisor.all().map(({ pending }) => pending)),
    },
    streams_open: {
      help: 'Event streams that are open',
      read: () => sum(supervisor.all().map(({ streams }) => streams)),
    },
  };
  for (const [name, { help, read }] of Object.entries(levels)) {
    new Gauge({
      ...{ name: `${PREFIX}${name}`, help, registers },
      collect() {
        this.set(read());
      },
    });
  }
}
