import type { Log } from '../log.ts';
import type { Deadlines } from './deadlines.ts';
import type { EventHub } from './event-hub.ts';
import type { RestartCause } from './failure.ts';
import type { Lock } from './lock.ts';
import type { RunKeeper } from './run-keeper.ts';
import type { SessionContext } from './session-context.ts';
import { isRunning } from './session-state.ts';
import type { SessionStatus } from './session-status.ts';
import type { Vitals } from './vitals.ts';

/** How long a worker and its browser may take to end before they are killed. */
export const STOP_TIMEOUT_MS = 10_000;

/** What a session consists of. */
export interface SessionParts {
  readonly id: string;
  readonly context: SessionContext;
  readonly log: Log;
  readonly hub: EventHub;
  /** Starts and stops wait for each other, so that they cannot overlap. */
  readonly lock: Lock;
  readonly status: SessionStatus;
  readonly deadlines: Deadlines;
  readonly keeper: RunKeeper;
  readonly vitals: Vitals;
}

/** Ends what runs, gracefully, and starts it anew at once. Only under the lock. */
export async function replaceRun({ log, status, keeper, vitals }: SessionParts, cause: RestartCause): Promise<void> {
  vitals.countRestart(cause);
  log.info({ cause }, 'restarting');
  status.apply(isRunning(status.state) ? { type: 'crashed', reason: cause.toUpperCase() } : { type: 'start' });
  await keeper.end(false, STOP_TIMEOUT_MS);
  await keeper.start(true);
}
