import * as v from 'valibot';
import { count, sentence } from '../limits.ts';
import type { Operation } from '../operation.ts';
import { sessionStatus } from '../resources.ts';
import { isoTime } from '../times.ts';

const bytes = count(Number.MAX_SAFE_INTEGER);
const many = count(1_000_000);
const share = v.pipe(v.number(), v.minValue(0));

const hostSample = v.object({
  at: isoTime,
  /** What a new browser can have, within the limits of the gateway's cgroup. */
  memoryAvailableBytes: bytes,
  /** Of the disk of the data folder; absent if it could not be read. */
  diskFreeBytes: v.optional(bytes),
  /** Resident memory of the gateway's own process. */
  gatewayBytes: bytes,
  /** Memory (PSS) of all sessions, as they were last measured. */
  sessionsBytes: bytes,
  /** How much of the time since the sample before the gateway's event loop was busy, 0 to 1. */
  loopUtilization: share,
  /** Processor time of the gateway's own process since the sample before, as a share of one core; more than 1 with threads. */
  cpuShare: share,
  /** Sessions that wait to boot, and that boot. */
  startsWaiting: many,
  startsBooting: many,
  journalBytes: bytes,
  streamsOpen: many,
});
export type HostSample = v.InferOutput<typeof hostSample>;

export const hostOperations = {
  getHost: {
    summary: 'Get memory, disk and load of the host and the gateway over the last hour, and the sessions by status',
    method: 'GET',
    path: '/host',
    scope: 'operator',
    params: v.object({}),
    answer: v.object({
      at: isoTime,
      startedAt: isoTime,
      version: v.string(),
      sessions: v.object(v.entriesFromList(sessionStatus.options, many)),
      /** Sessions whose browser runs without Chromium's sandbox, and why one of them does; absent if there is none. */
      unsandboxed: v.optional(v.object({ sessions: many, reason: sentence })),
      /** Of the machine, or of the gateway's cgroup if that is less. */
      memoryTotalBytes: bytes,
      /** Of the disk of the data folder. */
      diskTotalBytes: v.optional(bytes),
      /** CHAT_WEB_JOURNAL_MAX_MB, in bytes. */
      journalMaxBytes: bytes,
      /** One every 15 s, of the last hour and since the gateway started, oldest first. */
      samples: v.array(hostSample),
    }),
    errors: [],
    timeoutMs: 5_000,
    examples: { lastHour: {} },
  },
} as const satisfies Record<string, Operation>;
