import { causeText, type EventData, type SessionStatus, type SessionView, sessionStatus } from '@chat-web/protocol';
import type { Session } from './session.ts';
import { causeOf, type Phase, type SessionState } from './session-state.ts';

type Word = Exclude<SessionStatus, 'disconnected'> | 'restarting';

/** In display order. */
const WORDS = Object.keys({
  ready: true,
  starting: true,
  qr: true,
  authenticating: true,
  restarting: true,
  failed: true,
  stopped: true,
  moved: true,
} satisfies Record<Word, true>);

/** A session as the API shows it. */
export function viewOf({ id, state, stats, page }: Session): SessionView {
  const { lastEventAt, memory, diskBytes } = stats;
  const view: SessionView = { id, since: state.since.toISOString(), ...statusOf(state) };
  if (lastEventAt) view.lastEventAt = lastEventAt.toISOString();
  if (memory) view.memory = memory;
  if (diskBytes !== undefined) view.diskBytes = diskBytes;
  if (page) Object.assign(view, { pageVersion: page.version, degraded: [...page.degraded] });
  return view;
}

/** The data of a `status` event. */
export function statusOf({ phase, restarts, retry }: SessionState): EventData<'status'> {
  const cause = causeOf(phase);
  const status: EventData<'status'> = { status: phase.status, restarts: 0 };
  if (cause) Object.assign(status, { reason: cause.reason, message: causeText(cause) });
  for (const times of Object.values(restarts)) status.restarts += times;
  if (retry) status.nextAttemptAt = retry.until.toISOString();
  return status;
}

/** How many sessions have each status. */
export function countsOf(sessions: readonly Pick<Session, 'phase'>[]): Record<SessionStatus, number> {
  const counts = Object.fromEntries(sessionStatus.options.map((status) => [status, 0])) as Record<
    SessionStatus,
    number
  >;
  for (const { phase } of sessions) counts[phase.status] += 1;
  return counts;
}

/** The number of sessions by status, in one line: `12 sessions, 11 ready, 1 restarting`. */
export function summaryOf(sessions: readonly Pick<Session, 'phase'>[]): string {
  const words = sessions.map(({ phase }) => wordFor(phase));
  const counts = WORDS.map((word) => [words.filter((other) => other === word).length, word] as const);
  const total = `${words.length} session${words.length === 1 ? '' : 's'}`;
  return [total, ...counts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`)].join(', ');
}

/** A start after a failed one counts as a restart. */
function wordFor(phase: Phase): Word {
  if (phase.status === 'disconnected' || (phase.status === 'starting' && phase.cause)) return 'restarting';
  return phase.status;
}
