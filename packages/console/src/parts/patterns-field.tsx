import { matchesPattern } from '@chat-web/protocol';
import type { Signal } from '@preact/signals';
import type { LiveSessions } from '../live/live-sessions.ts';
import { patternsIn } from './patterns.ts';
import { TextField } from './text-field.tsx';
import { counted } from './words.ts';

/** How many matching sessions are listed. */
const NAMED = 5;

interface PatternsProps {
  /** Patterns, separated by spaces or commas. */
  readonly value: Signal<string>;
  readonly sessions: LiveSessions;
}

/** A field for session patterns, which shows the sessions that match now. */
export function PatternsField({ value, sessions }: PatternsProps) {
  const patterns = patternsIn(value.value);
  const ids = [...(sessions.all.value?.keys() ?? [])];
  const matching = ids.filter((id) => patterns.some((pattern) => matchesPattern(pattern, id)));
  const named = matching.slice(0, NAMED).join(', ');
  const more = matching.length > NAMED ? ', …' : '';
  return (
    <TextField label="Sessions" value={value} required placeholder="shop-* main">
      Session ids, separated by spaces. * stands for any characters, and also matches later sessions.{' '}
      {patterns.length > 0 &&
        (matching.length === 0
          ? 'No session matches now.'
          : `${counted(matching.length, 'session')} now: ${named}${more}.`)}
    </TextField>
  );
}
