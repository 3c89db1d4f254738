import * as v from 'valibot';
import { exampleHost, exampleSession } from '../examples.ts';
import { sessionId } from '../ids.ts';
import { count, hostName, sentence } from '../limits.ts';
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

/** Of the sessions of a gateway, by status. */
const sessionCounts = v.object(v.entriesFromList(sessionStatus.options, many));

/** What a host publishes about itself. */
export const aboutHost = v.object({
  version: v.pipe(v.string(), v.maxLength(50)),
  sessions: sessionCounts,
  memoryAvailableBytes: v.optional(bytes),
  diskFreeBytes: v.optional(bytes),
});

const hostView = v.object({
  id: v.string(),
  name: v.string(),
  /** True for the host of the gateway that answers. */
  isOwn: v.boolean(),
  /** `late`: no heartbeat for 15 s; `lost`: none for 30 s; `released`: its gateway has stopped. */
  state: v.picklist(['live', 'late', 'lost', 'released']),
  /** How many sessions it has room for, and has. */
  capacity: many,
  used: many,
  /** It gets no new sessions, and those that it has are moved to other hosts. */
  draining: v.optional(v.boolean()),
  /** An operator has confirmed that its machine is off: another one may continue with its data folder. */
  confirmedOff: v.optional(v.boolean()),
  /** Its gateway delivers the webhooks of all hosts. */
  deliversWebhooks: v.optional(v.boolean()),
  /** The time of its last heartbeat. */
  beatAt: v.optional(isoTime),
  ...v.partial(aboutHost).entries,
});

const moveView = v.object({
  session: sessionId,
  /** The names of the hosts. */
  from: v.string(),
  to: v.string(),
  /** `cancelling`: the session stays on `from`, which takes it back. */
  state: v.picklist(['asked', 'moving', 'done', 'cancelling', 'cancelled']),
  askedAt: isoTime,
  endedAt: v.optional(isoTime),
  /** Why it was cancelled. */
  message: v.optional(v.string()),
});

const chosenMove = v.object({ session: sessionId, from: v.string(), to: v.string() });

const hostParams = v.object({ hostId: v.pipe(v.string(), v.uuid('must be an id from GET /hosts')) });

/** Operations on one host of a cluster. */
const ofHost = { scope: 'operator', params: hostParams, timeoutMs: 15_000 } as const;

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
      sessions: sessionCounts,
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

  listHosts: {
    summary: 'List the hosts of the cluster; empty for a gateway on its own',
    method: 'GET',
    path: '/hosts',
    scope: 'operator',
    params: v.object({}),
    answer: v.object({ hosts: v.array(hostView) }),
    errors: ['engine_unavailable'],
    timeoutMs: 15_000,
    examples: { all: {} },
  },

  getClusterHost: {
    ...ofHost,
    summary: 'Get one host of the cluster',
    method: 'GET',
    path: '/hosts/:hostId',
    answer: hostView,
    errors: ['host_not_found', 'engine_unavailable'],
    examples: { one: { hostId: exampleHost } },
  },

  removeHost: {
    ...ofHost,
    summary: 'Remove a host whose disk is gone, with its sessions, which have to be linked again',
    method: 'DELETE',
    path: '/hosts/:hostId',
    answer: v.object({ id: v.string(), status: v.literal('removed') }),
    errors: ['host_not_found', 'host_is_live', 'engine_unavailable'],
    examples: { one: { hostId: exampleHost } },
  },

  confirmHostOff: {
    ...ofHost,
    summary: "Confirm that a host's machine is off, so that another one may continue with its data folder",
    method: 'POST',
    path: '/hosts/:hostId/off',
    /** The same id again. */
    body: v.strictObject({ confirm: v.string() }),
    answer: hostView,
    errors: ['host_not_found', 'host_is_live', 'engine_unavailable'],
    examples: { off: { hostId: exampleHost, confirm: exampleHost } },
  },

  drainHost: {
    ...ofHost,
    summary: 'Move all sessions of a host to others, four at a time, and place none on it, until the drain is ended',
    method: 'POST',
    path: '/hosts/:hostId/drain',
    answer: hostView,
    errors: ['host_not_found', 'engine_unavailable'],
    examples: { begin: { hostId: exampleHost } },
  },

  endDrain: {
    ...ofHost,
    summary: 'End the drain of a host: it may get sessions again; moves that were asked for go on',
    method: 'DELETE',
    path: '/hosts/:hostId/drain',
    answer: hostView,
    errors: ['host_not_found', 'engine_unavailable'],
    examples: { end: { hostId: exampleHost } },
  },

  rebalanceHosts: {
    summary: 'Move sessions until the fullest and the emptiest host differ by at most 10 % of their room',
    method: 'POST',
    path: '/hosts/rebalance',
    scope: 'operator',
    params: v.object({}),
    /** `dryRun`: only returns the moves. */
    optionalBody: v.strictObject({ dryRun: v.optional(v.boolean(), false) }),
    /** The moves that were asked for, or would be; see listMoves for their ends. */
    answer: v.object({ moves: v.array(chosenMove) }),
    errors: ['engine_unavailable'],
    timeoutMs: 60_000,
    examples: { dryRun: { dryRun: true } },
  },

  listMoves: {
    summary: 'List the moves between hosts that are not finished, and those of the last day, the last first',
    method: 'GET',
    path: '/moves',
    scope: 'operator',
    params: v.object({}),
    answer: v.object({ moves: v.array(moveView) }),
    errors: ['engine_unavailable'],
    timeoutMs: 15_000,
    examples: { all: {} },
  },

  moveSession: {
    summary: 'Move a session to another host, and wait for the end of the move, at most 30 s',
    method: 'POST',
    path: '/sessions/:id/move',
    scope: 'operator',
    params: v.object({ id: sessionId }),
    /** The id or the name of a host; absent: the one with the largest share of its room left. */
    optionalBody: v.strictObject({ to: v.optional(hostName) }),
    /** A session that is being moved already continues as before. */
    answer: moveView,
    errors: ['session_not_found', 'session_moved', 'host_not_found', 'insufficient_resources', 'engine_unavailable'],
    timeoutMs: 45_000,
    examples: { roomiest: exampleSession, chosen: { ...exampleSession, to: 'host-2' } },
  },
} as const satisfies Record<string, Operation>;
