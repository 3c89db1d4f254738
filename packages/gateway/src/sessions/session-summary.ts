import type { Session } from './session.ts';
import type { SessionState } from './session-state.ts';

const ORDER = ['ready', 'starting', 'qr', 'authenticating', 'restarting', 'failed', 'stopped'];

/** How many sessions there are, and where they stand, in a line: `12 sessions, 11 ready, 1 restarting`. */
export function summaryOf(sessions: readonly Pick<Session, 'state'>[]): string {
  const words = sessions.map(({ state }) => wordFor(state));
  const counts = ORDER.map((word) => [words.filter((other) => other === word).length, word] as const);
  const total = `${words.length} session${words.length === 1 ? '' : 's'}`;
  return [total, ...counts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`)].join(', ');
}

/** A start that follows a failed one is a restart, too. */
function wordFor(state: SessionState): string {
  if (state.status === 'disconnected' || (state.status === 'starting' && state.reason)) return 'restarting';
  return state.status;
}
