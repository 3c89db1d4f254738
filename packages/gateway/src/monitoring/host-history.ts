import type { AnswerOf, HostSample } from '@chat-web/protocol';
import { availableMemoryBytes, totalMemoryBytes } from '../host/available-memory.ts';
import { diskSpace } from '../host/disk.ts';
import { memoryBytes, type SessionMemory } from '../host/memory.ts';
import type { Watch } from '../periodic-checks.ts';
import type { Levels } from './levels.ts';

interface MeasuredSession {
  readonly stats: { readonly memory: SessionMemory | undefined };
}

type SampledLevels = Pick<Levels, 'starts_waiting' | 'starts_booting' | 'journal_bytes' | 'streams_open'>;

const INTERVAL_MS = 15_000;
const MAX_SAMPLES = 240;
const MICROSECONDS_IN_MS = 1_000;

/** The host and the gateway over the last hour, in memory. */
export class HostHistory implements Watch<MeasuredSession> {
  readonly startedAt = new Date();
  readonly #dataDir: string;
  readonly #levels: SampledLevels;
  readonly #samples: HostSample[] = [];
  #diskTotalBytes: number | undefined;
  #nextAt = Number.NEGATIVE_INFINITY;
  #last = usage();

  constructor(dataDir: string, levels: SampledLevels) {
    this.#dataDir = dataDir;
    this.#levels = levels;
  }

  /** The samples, oldest first, and the totals that they are part of. */
  get view(): Pick<AnswerOf<'getHost'>, 'memoryTotalBytes' | 'diskTotalBytes' | 'samples'> {
    const diskTotalBytes = this.#diskTotalBytes;
    return {
      memoryTotalBytes: totalMemoryBytes(),
      ...(diskTotalBytes === undefined ? {} : { diskTotalBytes }),
      samples: [...this.#samples],
    };
  }

  /** Takes a sample if one is due. Rejects if no more files can be opened. */
  async check(sessions: readonly MeasuredSession[]): Promise<void> {
    const now = performance.now();
    if (now < this.#nextAt) return;
    this.#nextAt = (Math.floor(now / INTERVAL_MS) + 1) * INTERVAL_MS;
    const disk = await diskSpace(this.#dataDir).catch(() => undefined);
    this.#diskTotalBytes = disk?.totalBytes ?? this.#diskTotalBytes;
    this.#samples.push({
      at: new Date().toISOString(),
      memoryAvailableBytes: Math.min(availableMemoryBytes(), totalMemoryBytes()),
      ...(disk ? { diskFreeBytes: disk.freeBytes } : {}),
      gatewayBytes: process.memoryUsage.rss(),
      sessionsBytes: sessions.reduce((sum, { stats }) => sum + (stats.memory ? memoryBytes(stats.memory) : 0), 0),
      ...this.#loadSinceLast(),
      startsWaiting: this.#levels.starts_waiting.read(),
      startsBooting: this.#levels.starts_booting.read(),
      journalBytes: this.#levels.journal_bytes.read(),
      streamsOpen: this.#levels.streams_open.read(),
    });
    if (this.#samples.length > MAX_SAMPLES) this.#samples.shift();
  }

  #loadSinceLast(): Pick<HostSample, 'loopUtilization' | 'cpuShare'> {
    const last = this.#last;
    this.#last = usage();
    const { utilization } = performance.eventLoopUtilization(this.#last.loop, last.loop);
    const cpuMs = this.#last.cpuMs - last.cpuMs;
    return {
      loopUtilization: rounded(Math.min(1, Math.max(0, utilization))),
      cpuShare: rounded(Math.max(0, cpuMs) / Math.max(1, this.#last.at - last.at)),
    };
  }
}

/** What this process has used since it started, and the time of reading on the monotonic clock. */
function usage() {
  const { user, system } = process.cpuUsage();
  return {
    at: performance.now(),
    cpuMs: (user + system) / MICROSECONDS_IN_MS,
    loop: performance.eventLoopUtilization(),
  };
}

function rounded(share: number): number {
  return Math.round(share * 10_000) / 10_000;
}
