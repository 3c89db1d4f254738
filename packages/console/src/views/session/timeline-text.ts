import type { ListenedEvent } from '@chat-web/host';
import { STATUS_WORDS } from '../../parts/status.tsx';
import { fullTime } from '../../parts/words.ts';

/** The events of a timeline. */
export const TIMELINE_EVENTS = ['status', 'passkey_required', 'gap'] as const;
type TimelineEvent = ListenedEvent<(typeof TIMELINE_EVENTS)[number]>;

/** An event in one line. */
export function timelineText(event: TimelineEvent): string {
  switch (event.name) {
    case 'status': {
      const { status, message, nextAttemptAt } = event.data;
      const next = nextAttemptAt === undefined ? '' : `; next attempt ${fullTime(Date.parse(nextAttemptAt))}`;
      return `${STATUS_WORDS[status]}${message === undefined ? '' : `: ${message}`}${next}`;
    }
    case 'passkey_required':
      return event.data.message;
    case 'gap':
      return gapText(event.data);
  }
}

function gapText(gap: Extract<TimelineEvent, { name: 'gap' }>['data']): string {
  switch (gap.reason) {
    case 'not_loaded':
      return `Messages from ${timeOf(gap.from)} to ${timeOf(gap.to)} are missing: the page did not load them.`;
    case 'not_stored':
      return `Events from ${timeOf(gap.from)} to ${timeOf(gap.to)} are missing: they could not be written to disk.`;
    case 'damaged':
      return 'Events are missing: a part of the journal cannot be read any more.';
    case 'expired':
      return 'Earlier events were deleted, because of their age or of the size of the journal.';
    case 'unknown_position':
      return 'Earlier events are not known to this gateway.';
  }
}

function timeOf(written: string): string {
  return fullTime(Date.parse(written));
}
