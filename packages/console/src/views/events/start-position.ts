import { EVENT_ID } from '@chat-web/protocol';

/** Where the list starts: now, some time ago, or after a position of the event routes. */
export type StartPosition =
  | { readonly is: 'now' | 'oldest' }
  | { readonly is: 'ago'; readonly ms: number }
  | { readonly is: 'after'; readonly position: string };

const MINUTE_MS = 60_000;

export const START_POSITIONS = {
  Now: { is: 'now' },
  '5 minutes ago': { is: 'ago', ms: 5 * MINUTE_MS },
  '1 hour ago': { is: 'ago', ms: 60 * MINUTE_MS },
  '24 hours ago': { is: 'ago', ms: 24 * 60 * MINUTE_MS },
  'The oldest stored event': { is: 'oldest' },
} as const satisfies Record<string, StartPosition>;

/** The position for the gateway. Undefined: the current position of the journal. */
export function positionOf(start: StartPosition, now: number): string | undefined {
  if (start.is === 'now') return undefined;
  if (start.is === 'after') return start.position;
  return start.is === 'ago' ? new Date(now - start.ms).toISOString() : start.is;
}

/**
 * Parses a position written by the user: an id of an event, or a time in any form that the browser knows, which becomes
 * ISO 8601. Undefined: it is neither.
 */
export function writtenPosition(written: string): string | undefined {
  const text = written.trim();
  if (EVENT_ID.test(text) && !/^\d{4}-\d{2}$/.test(text)) return text;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}
