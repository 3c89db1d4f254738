import { causeText, type SessionStatus, type SessionView } from '@chat-web/protocol';
import type { Session } from './session.ts';
import { causeOf, type Phase } from './session-state.ts';

type Word = Exclude<SessionStatus, 'disconnected'> | 'restarting';

/** In the order in which they are shown. */
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
  const { phase, since, restarts, retry } = state;
  const { lastEventAt, memory, diskBytes } = stats;
  const cause = causeOf(phase);
  const view: SessionView = { id, status: phase.status, since: since.toISOString(), restarts: 0 };
  for (const times of Object.values(restarts)) view.restarts += times;
  if (cause) Object.assign(view, { reason: cause.reason, message: causeText(cause) });
  if (retry) view.nextAttemptAt = retry.until.toISOString();
  if (lastEventAt) view.lastEventAt = lastEventAt.toISOString();
  if (memory) view.memory = memory;
  if (diskBytes !== undefined) view.diskBytes = diskBytes;
  if (page) Object.assign(view, { pageVersion: page.version, degraded: [...page.degraded] });
  return view;
}

/** How many sessions there are by status, in one line: `12 sessions, 11 ready, 1 restarting`. */
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
