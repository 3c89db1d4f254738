import * as v from 'valibot';
import { sessionArchive } from '../archive.ts';
import { sessionId } from '../ids.ts';
import type { Operation } from '../operation.ts';
import { memorySample, pngDataUrl, sessionInfo, sessionStatus, sessionView } from '../resources.ts';

const params = v.object({ id: sessionId });
const SECOND = 1_000;
const started = v.object({
  id: v.string(),
  status: sessionStatus,
  qr: v.optional(pngDataUrl),
  /** Why the attempt failed, and when the next one is. */
  ...v.pick(sessionView, ['reason', 'message', 'nextAttemptAt']).entries,
});

/** Operations on sessions themselves: the gateway answers them, whether a worker runs or not. */
export const sessionOperations = {
  listSessions: {
    summary: 'List the sessions that run or have saved auth, with their health',
    method: 'GET',
    path: '/sessions',
    scope: 'read',
    params: v.object({}),
    answer: v.object({ sessions: v.array(sessionView) }),
    errors: [],
    timeoutMs: 5 * SECOND,
  },
  startSession: {
    summary: 'Start a session, and wait until it shows a QR, is ready or has failed; no effect if it runs',
    method: 'POST',
    path: '/sessions/:id/start',
    scope: 'manage',
    params,
    /** `takeBack`: also if it was moved to another gateway. */
    optionalBody: v.object({ takeBack: v.optional(v.boolean(), false) }),
    answer: started,
    errors: ['session_moved', 'insufficient_resources', 'shutting_down'],
    timeoutMs: 30 * SECOND,
  },
  restartSession: {
    summary:
      'Restart a session, and wait until it is ready or has failed; also takes back an account that is used elsewhere',
    method: 'POST',
    path: '/sessions/:id/restart',
    scope: 'manage',
    params,
    answer: started,
    errors: ['session_not_found', 'session_moved', 'insufficient_resources', 'shutting_down'],
    timeoutMs: 45 * SECOND,
  },
  stopSession: {
    summary: 'Stop a session and keep its auth',
    method: 'POST',
    path: '/sessions/:id/stop',
    scope: 'manage',
    params,
    answer: v.object({ id: v.string(), status: v.literal('stopped') }),
    errors: ['session_not_found', 'session_moved'],
    timeoutMs: 30 * SECOND,
  },
  logoutSession: {
    summary: 'Unlink a ready session from the phone, and wipe its auth; the session remains, and shows a QR',
    method: 'POST',
    path: '/sessions/:id/logout',
    scope: 'manage',
    params,
    answer: started,
    errors: ['session_not_found', 'session_not_ready', 'shutting_down'],
    timeoutMs: 45 * SECOND,
  },
  deleteSession: {
    summary: 'Stop a session, unlink it from the phone if it is ready, and wipe its auth',
    method: 'DELETE',
    path: '/sessions/:id',
    scope: 'manage',
    params,
    answer: v.object({ id: v.string(), status: v.literal('removed') }),
    errors: ['session_not_found'],
    timeoutMs: 30 * SECOND,
  },
  exportSession: {
    summary: 'Stop a session for good, and get it as an archive for another gateway; it is `moved` from then on',
    method: 'POST',
    path: '/sessions/:id/export',
    scope: 'manage',
    params,
    archive: 'answered',
    answer: sessionArchive,
    errors: ['session_not_found', 'session_not_exportable', 'insufficient_resources', 'shutting_down'],
    timeoutMs: 120 * SECOND,
  },
  importSession: {
    summary: 'Import a session from its archive, start it, and wait as for a start',
    method: 'PUT',
    path: '/sessions/:id/import',
    scope: 'manage',
    params,
    archive: 'taken',
    answer: started,
    errors: ['session_exists', 'stale_export', 'invalid_archive', 'insufficient_resources', 'shutting_down'],
    timeoutMs: 900 * SECOND,
  },
  getQr: {
    summary: 'Get the current QR; as a PNG with Accept: image/png',
    method: 'GET',
    path: '/sessions/:id/qr',
    scope: 'manage',
    params,
    answer: v.object({ id: v.string(), status: v.literal('qr'), qr: pngDataUrl }),
    errors: ['session_not_found', 'qr_not_available'],
    timeoutMs: 5 * SECOND,
  },
  getSessionStatus: {
    summary: 'Get the status of a session, with its reason and health',
    method: 'GET',
    path: '/sessions/:id/status',
    scope: 'read',
    params,
    answer: sessionView,
    errors: ['session_not_found'],
    timeoutMs: 5 * SECOND,
  },
  getSessionInfo: {
    summary: 'Get the linked account',
    method: 'GET',
    path: '/sessions/:id/info',
    scope: 'read',
    params,
    answer: sessionInfo,
    errors: ['session_not_found', 'session_not_ready'],
    timeoutMs: 5 * SECOND,
  },
  getSessionMemory: {
    summary: 'Get the memory of a session over the last hour',
    method: 'GET',
    path: '/sessions/:id/memory',
    scope: 'read',
    params,
    /** At most one sample a minute, oldest first; none while nothing runs. */
    answer: v.object({ samples: v.array(memorySample) }),
    errors: ['session_not_found'],
    timeoutMs: 5 * SECOND,
  },
} as const satisfies Record<string, Operation>;
