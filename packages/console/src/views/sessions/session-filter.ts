import type { SessionView } from '@chat-web/host';
import { lookOf, type Tone } from '../../parts/status.tsx';

/** Which sessions the list shows. */
export interface SessionFilter {
  /** A part of the id, of the reason or of its sentence. */
  readonly text: string;
  readonly tone: Tone | undefined;
}

/** The groups of sessions to choose from. */
export const GROUPS: Readonly<Record<Tone, string>> = {
  bad: 'Failed',
  attention: 'Needs attention',
  busy: 'Starting',
  good: 'Ready',
  off: 'Not running',
};

/** The sessions that pass the filter. */
export function filtered(sessions: readonly SessionView[], { text, tone }: SessionFilter): readonly SessionView[] {
  const wanted = text.trim().toLowerCase();
  return sessions.filter((session) => {
    if (tone && lookOf(session).tone !== tone) return false;
    if (wanted === '') return true;
    const { id, reason = '', message = '', pageVersion = '' } = session;
    return [id, reason, message, pageVersion].some((written) => written.toLowerCase().includes(wanted));
  });
}
