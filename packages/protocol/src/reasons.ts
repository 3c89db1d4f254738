import * as v from 'valibot';

/**
 * Why a session is not ready, or was restarted: the codes of its `reason`, each with its sentence. The `disconnected`
 * event, the status, the metrics and the log use the same codes.
 */
export const reasons = {
  STOPPED: 'the session was stopped',
  MOVED: 'the session was moved to another gateway',
  REQUESTED: 'a restart was requested',
  RECYCLED: 'the session was restarted to free memory',
  QR_TIMEOUT: 'the QR was not scanned in time',
  PASSKEY_REQUIRED: 'linking needs the passkey of the account',
  LOGOUT: 'the account was unlinked',
  CONFLICT: 'the account is used elsewhere with the same link',
  CONNECTION_LOST: 'the page lost its connection to the network',
  ACCOUNT_RESTRICTED: 'the network restricts this account or this address',
  START_REFUSED: 'the start was refused',
  START_TIMEOUT: 'the session did not become ready in time',
  RECOVERY_FAILED: 'the session could not be restarted',
  BROWSER_NOT_FOUND: 'there is no browser to start',
  LAUNCH_FAILED: 'the browser or its page did not start',
  PROXY_FAILED: 'the proxy of the session cannot be used',
  BROWSER_EXITED: 'the browser exited',
  MEMORY_LIMIT: 'the session used too much memory',
  PAGE_CRASHED: 'the page crashed',
  PAGE_FAILED: 'the page could not be used',
  PAGE_FROZEN: 'the page stopped responding',
  PAGE_DEAF: 'the page is connected, but receives nothing',
  PAGE_MUTE: 'sends are not confirmed',
  PAGE_OUTDATED: 'the network no longer accepts this build of the page',
  PAGE_UNSUPPORTED: 'the page lacks a part that every session needs',
  HOST_LOST: 'the host of the session stopped sending heartbeats',
  WORKER_EXITED: 'the worker exited',
  WORKER_UNRESPONSIVE: 'the worker stopped responding',
  WORKER_PROTOCOL_ERROR: 'the worker violated the protocol of its channel',
} as const;

export type Reason = keyof typeof reasons;

/** The codes, as a schema that describes them. */
export const reason = v.pipe(
  v.picklist(Object.keys(reasons) as [Reason, ...Reason[]]),
  v.description(
    Object.entries(reasons)
      .map(([code, text]) => `${code}: ${text}`)
      .join('. '),
  ),
);

/** Why a worker ends its session. */
export const workerFailure = v.picklist([
  'ACCOUNT_RESTRICTED',
  'BROWSER_NOT_FOUND',
  'LAUNCH_FAILED',
  'PROXY_FAILED',
  'BROWSER_EXITED',
  'PAGE_CRASHED',
  'PAGE_FAILED',
  'PAGE_FROZEN',
  'PAGE_DEAF',
  'PAGE_MUTE',
  'PAGE_OUTDATED',
  'PAGE_UNSUPPORTED',
]);
export type WorkerFailure = v.InferOutput<typeof workerFailure>;

/** Why something happened to a session: a code, and any details of this case. */
export interface Cause {
  readonly reason: Reason;
  readonly detail?: string | undefined;
}

/** The sentence of a cause, such as `the worker exited: signal SIGKILL`. */
export function causeText({ reason, detail }: Cause): string {
  return detail ? `${reasons[reason]}: ${detail}` : reasons[reason];
}
