import { type AnswerOf, type SessionStatus, type SessionView, sessionStatus } from '@chat-web/protocol';
import type { Session } from './session.ts';
import { type Phase, statusOf } from './session-state.ts';

/** In the order of display. */
const WORDS = ['ready', 'starting', 'qr', 'authenticating', 'restarting', 'failed', 'stopped', 'moved'] as const;
type Word = (typeof WORDS)[number];

export function viewOf({ id, state, stats, page, limits, metadata, settings }: Session): SessionView {
  const { lastEventAt, memory, diskBytes } = stats;
  const view: SessionView = { id, since: state.since.toISOString(), ...statusOf(state) };
  if (lastEventAt) view.lastEventAt = lastEventAt.toISOString();
  if (memory) view.memory = memory;
  if (diskBytes !== undefined) view.diskBytes = diskBytes;
  if (page) {
    const { version, testIds, degraded } = page;
    Object.assign(view, { pageVersion: version, pageTestIds: testIds, degraded: [...degraded] });
  }
  if (limits) view.limits = [...limits];
  if (metadata) view.metadata = metadata;
  Object.assign(view, settings);
  return view;
}

export function countsByStatus(sessions: readonly Pick<Session, 'phase'>[]): Record<SessionStatus, number> {
  const counts = Object.fromEntries(sessionStatus.options.map((status) => [status, 0])) as Record<
    SessionStatus,
    number
  >;
  for (const { phase } of sessions) counts[phase.status] += 1;
  return counts;
}

/** The sessions whose browser runs without Chromium's sandbox, and why the first of them does; absent if there is none. */
export function unsandboxedOf(
  sessions: readonly Pick<Session, 'unsandboxed'>[],
): Pick<AnswerOf<'getHost'>, 'unsandboxed'> {
  const found = sessions.flatMap(({ unsandboxed }) => unsandboxed ?? []);
  const [reason] = found;
  return reason === undefined ? {} : { unsandboxed: { sessions: found.length, reason } };
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
