import * as v from 'valibot';
import { sessionArchive } from '../archive.ts';
import { exampleElsewhere, exampleSession, exampleSpare } from '../examples.ts';
import { sessionId } from '../ids.ts';
import { hostName } from '../limits.ts';
import { metadata } from '../metadata.ts';
import type { Operation } from '../operation.ts';
import { deviceName, proxyUrl } from '../proxy.ts';
import { memorySample, pngDataUrl, sessionInfo, sessionStatus, sessionView } from '../resources.ts';
import { SECOND_MS } from '../units.ts';

const params = v.object({ id: sessionId });
const started = v.object({
  id: v.string(),
  status: sessionStatus,
  qr: v.optional(pngDataUrl),
  /** Why the attempt failed, and when the next one is. */
  ...v.pick(sessionView, ['reason', 'message', 'nextAttemptAt']).entries,
});

const managing = { method: 'POST', scope: 'manage', params } as const;
const reading = {
  method: 'GET',
  scope: 'read',
  params,
  errors: ['session_not_found'],
  timeoutMs: 5 * SECOND_MS,
} as const;

/** Operations on sessions themselves: the gateway answers them, whether a worker runs or not. */
export const sessionOperations = {
  listSessions: {
    summary: 'List the sessions that run or have saved auth, with their health',
    method: 'GET',
    path: '/sessions',
    scope: 'read',
    params: v.object({}),
    /** `host`: only those on the host with this name. */
    query: v.strictObject({ host: v.optional(hostName) }),
    answer: v.object({ sessions: v.array(sessionView) }),
    errors: [],
    timeoutMs: 5 * SECOND_MS,
    tools: { list_sessions: { fields: [] } },
    examples: { all: {}, ofHost: { host: 'host-1' } },
  },
  startSession: {
    ...managing,
    summary:
      'Start a session, and wait until it shows a QR, is ready or has failed; no effect if it runs, unless its proxy changes',
    path: '/sessions/:id/start',
    /** `host`: the id or the name of the host of a new session; absent: the one with the largest share of its room left. */
    query: v.strictObject({ host: v.optional(hostName) }),
    /**
     * `takeBack`: also if it was moved to another gateway. `metadata`: replaces that of the session, also if it runs.
     * `proxy`: for all connections of its browser; `deviceName`: for the phone's list of linked devices. Absent: as
     * before; null: none. A session that runs with another proxy restarts.
     */
    optionalBody: v.strictObject({
      takeBack: v.optional(v.boolean(), false),
      metadata: v.optional(metadata),
      proxy: v.optional(v.nullable(proxyUrl)),
      deviceName: v.optional(v.nullable(deviceName)),
    }),
    answer: started,
    errors: ['session_moved', 'host_not_found', 'url_not_allowed', 'insufficient_resources', 'shutting_down'],
    timeoutMs: 30 * SECOND_MS,
    examples: {
      again: exampleSession,
      noted: { ...exampleSession, metadata: { customer: '4711' } },
      named: { ...exampleSession, deviceName: 'Shop north' },
    },
  },
  restartSession: {
    ...managing,
    summary:
      'Restart a session, and wait until it is ready or has failed; also takes back an account that is used elsewhere',
    path: '/sessions/:id/restart',
    answer: started,
    errors: ['session_not_found', 'session_moved', 'insufficient_resources', 'shutting_down'],
    timeoutMs: 45 * SECOND_MS,
    examples: { again: exampleSession },
  },
  stopSession: {
    ...managing,
    summary: 'Stop a session and keep its auth',
    path: '/sessions/:id/stop',
    answer: v.object({ id: v.string(), status: v.literal('stopped') }),
    errors: ['session_not_found', 'session_moved'],
    timeoutMs: 30 * SECOND_MS,
    examples: { known: exampleSpare },
  },
  logoutSession: {
    ...managing,
    summary: 'Unlink a ready session from the phone, and wipe its auth; the session remains, and shows a QR',
    path: '/sessions/:id/logout',
    answer: started,
    errors: ['session_not_found', 'session_not_ready', 'shutting_down'],
    timeoutMs: 45 * SECOND_MS,
    examples: { known: exampleSpare },
  },
  deleteSession: {
    ...managing,
    summary: 'Stop a session, unlink it from the phone if it is ready, and wipe its auth',
    method: 'DELETE',
    path: '/sessions/:id',
    answer: v.object({ id: v.string(), status: v.literal('removed') }),
    errors: ['session_not_found'],
    timeoutMs: 30 * SECOND_MS,
    examples: { known: exampleSpare },
  },
  exportSession: {
    ...managing,
    summary: 'Stop a session permanently, and get it as an archive for another gateway; its status is then `moved`',
    path: '/sessions/:id/export',
    archive: 'answered',
    answer: sessionArchive,
    errors: ['session_not_found', 'session_not_exportable', 'insufficient_resources', 'shutting_down'],
    timeoutMs: 120 * SECOND_MS,
    examples: { known: exampleElsewhere },
  },
  importSession: {
    ...managing,
    summary: 'Import a session from its archive, start it, and wait as for a start',
    method: 'PUT',
    path: '/sessions/:id/import',
    archive: 'taken',
    answer: started,
    errors: ['session_exists', 'stale_export', 'invalid_archive', 'insufficient_resources', 'shutting_down'],
    timeoutMs: 900 * SECOND_MS,
    examples: { known: exampleElsewhere },
  },
  getQr: {
    ...managing,
    summary: 'Get the current QR; as a PNG with Accept: image/png',
    method: 'GET',
    path: '/sessions/:id/qr',
    answer: v.object({ id: v.string(), status: v.literal('qr'), qr: pngDataUrl }),
    errors: ['session_not_found', 'qr_not_available'],
    timeoutMs: 5 * SECOND_MS,
    examples: { waiting: exampleSpare },
  },
  getSessionStatus: {
    ...reading,
    summary: 'Get the status of a session, with its reason and health',
    path: '/sessions/:id/status',
    answer: sessionView,
    tools: { get_session: {} },
    examples: { known: exampleSession },
  },
  setSessionMetadata: {
    ...managing,
    summary: 'Replace the metadata of a session, which is shown with it and on its events',
    method: 'PUT',
    path: '/sessions/:id/metadata',
    body: v.strictObject({ metadata }),
    answer: v.object({ id: v.string(), metadata: v.record(v.string(), v.string()) }),
    errors: ['session_not_found', 'insufficient_resources'],
    timeoutMs: 10 * SECOND_MS,
    examples: { known: { ...exampleSession, metadata: { customer: '4711' } } },
  },
  getSessionInfo: {
    ...reading,
    summary: 'Get the linked account',
    path: '/sessions/:id/info',
    answer: sessionInfo,
    errors: ['session_not_found', 'session_not_ready'],
    examples: { ready: exampleSession },
  },
  getSessionMemory: {
    ...reading,
    summary: 'Get the memory of a session over the last hour',
    path: '/sessions/:id/memory',
    /** At most one sample a minute, oldest first; none while nothing runs. */
    answer: v.object({ samples: v.array(memorySample) }),
    examples: { known: exampleSession },
  },
} as const satisfies Record<string, Operation>;
