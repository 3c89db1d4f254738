import type { SessionView } from '@chat-web/protocol';
import type { Session } from './session.ts';

/** A session as an operator sees it. */
export function viewOf({ id, state, since, vitals, nextAttemptAt, page }: Session): SessionView {
  const { restartCount, lastEventAt, memory, diskBytes } = vitals;
  return {
    id,
    status: state.status,
    since: since.toISOString(),
    ...('reason' in state && state.reason ? { reason: state.reason } : {}),
    restarts: restartCount,
    ...(nextAttemptAt ? { nextAttemptAt: nextAttemptAt.toISOString() } : {}),
    ...(lastEventAt ? { lastEventAt: lastEventAt.toISOString() } : {}),
    ...(memory ? { memory } : {}),
    ...(diskBytes === undefined ? {} : { diskBytes }),
    ...(page ? { pageVersion: page.version, degraded: [...page.degraded] } : {}),
  };
}
