import type { SessionStatus, SessionView } from '@chat-web/host';

/** How a status looks: a word, a shape and a colour. */
export type Tone = 'good' | 'busy' | 'attention' | 'bad' | 'off';

interface Look {
  readonly word: string;
  readonly tone: Tone;
}

const LOOKS: Readonly<Record<SessionStatus, Look>> = {
  ready: { word: 'Ready', tone: 'good' },
  starting: { word: 'Starting', tone: 'busy' },
  authenticating: { word: 'Loading chats', tone: 'busy' },
  qr: { word: 'To be linked', tone: 'attention' },
  disconnected: { word: 'Recovering', tone: 'attention' },
  failed: { word: 'Failed', tone: 'bad' },
  stopped: { word: 'Stopped', tone: 'off' },
  moved: { word: 'Moved away', tone: 'off' },
};

export const STATUS_WORDS = Object.fromEntries(
  Object.entries(LOOKS).map(([status, { word }]) => [status, word]),
) as Readonly<Record<SessionStatus, string>>;

const SHAPES: Readonly<Record<Tone, string>> = {
  good: 'M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1z',
  busy: 'M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1zm0 3v4l3 2',
  attention: 'M8 1l7 13H1z',
  bad: 'M5 1h6l4 4v6l-4 4H5l-4-4V5z',
  off: 'M2 7h12v2H2z',
};

/**
 * The look of a session. A session that works only in part needs attention, and so does one that is being restarted.
 */
export function lookOf({ status, reason, degraded }: Pick<SessionView, 'status' | 'reason' | 'degraded'>): Look {
  const look = LOOKS[status];
  if (status === 'ready' && degraded && degraded.length > 0) return { word: 'Ready, with limits', tone: 'attention' };
  if (status === 'starting' && reason) return { word: 'Starting again', tone: 'attention' };
  return look;
}

export function Status({ session }: { readonly session: SessionView }) {
  const { word, tone } = lookOf(session);
  return <Badge tone={tone}>{word}</Badge>;
}

/** A word with the shape and colour of its tone. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: string }) {
  return (
    <span class={`badge ${tone}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={SHAPES[tone]} />
      </svg>
      {children}
    </span>
  );
}
