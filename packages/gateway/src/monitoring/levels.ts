import type { Cluster } from '../cluster/cluster.ts';
import type { EventLog } from '../events/event-log.ts';
import type { Journal } from '../journal/journal.ts';
import type { Spool } from '../media/spool.ts';
import type { StartQueue } from '../sessions/start-queue.ts';
import type { Supervisor } from '../sessions/supervisor.ts';

interface Dependencies {
  readonly supervisor: Pick<Supervisor, 'all'>;
  readonly startQueue: Pick<StartQueue, 'waiting' | 'booting'>;
  readonly spool: Pick<Spool, 'bytes'>;
  readonly events: Pick<EventLog, 'isStoring' | 'streams'>;
  readonly journal: Pick<Journal, 'stats'>;
  readonly cluster: Pick<Cluster, 'unshipped'>;
}

export type Levels = ReturnType<typeof levelsOf>;

/** The current levels of the gateway, by their metric names. */
export function levelsOf({ supervisor, startQueue, spool, events, journal, cluster }: Dependencies) {
  return {
    sessions_unsandboxed: {
      help: "Running sessions whose browser is outside Chromium's sandbox",
      read: () => supervisor.all().filter(({ unsandboxed }) => unsandboxed !== undefined).length,
    },
    starts_waiting: { help: 'Sessions waiting to boot', read: () => startQueue.waiting },
    starts_booting: { help: 'Sessions booting', read: () => startQueue.booting },
    spool_bytes: { help: 'Size of uploads and downloads in progress', read: () => spool.bytes },
    calls_pending: {
      help: 'Worker calls in progress',
      read: () => supervisor.all().reduce((total, { pending }) => total + pending, 0),
    },
    journal_bytes: { help: 'Size of the journal', read: () => journal.stats.bytes },
    journal_oldest_seconds: {
      help: 'Age of the oldest part of the journal',
      read: () => (Date.now() - journal.stats.oldestAt.getTime()) / 1_000,
    },
    journal_failing: { help: '1 while events cannot be stored', read: () => (events.isStoring ? 0 : 1) },
    cluster_unshipped_records: {
      help: 'Records of the journal that the database of the cluster does not have yet',
      read: () => cluster.unshipped.records,
    },
    cluster_lag_seconds: {
      help: 'For how long records of the journal have waited for the database of the cluster',
      read: () => cluster.unshipped.ms / 1_000,
    },
    streams_open: { help: 'Open event streams', read: () => events.streams.size },
  } satisfies Record<string, { readonly help: string; read(): number }>;
}
