import { matchesPattern } from '@chat-web/protocol';
import type { Signal } from '@preact/signals';
import type { LiveSessions } from '../live/live-sessions.ts';
import { patternsIn } from './patterns.ts';
import { TextField } from './text-field.tsx';
import { counted } from './words.ts';

/** How many matching sessions are named. */
const NAMED = 5;

interface PatternsProps {
  /** Patterns, with spaces or commas between them. */
  readonly value: Signal<string>;
  readonly sessions: LiveSessions;
}

/** Asks for sessions by patterns, and says which they match now. */
export function PatternsField({ value, sessions }: PatternsProps) {
  const patterns = patternsIn(value.value);
  const ids = [...(sessions.all.value?.keys() ?? [])];
  const matching = ids.filter((id) => patterns.some((pattern) => matchesPattern(pattern, id)));
  const named = matching.slice(0, NAMED).join(', ');
  const more = matching.length > NAMED ? ', …' : '';
  return (
    <TextField label="Sessions" value={value} required placeholder="shop-* main">
      Their ids, with spaces between them. * stands for any characters, also of sessions that are made later.{' '}
      {patterns.length > 0 &&
        (matching.length === 0
          ? 'No session matches now.'
          : `${counted(matching.length, 'session')} now: ${named}${more}.`)}
    </TextField>
  );
}
