import { matchesPattern } from '@chat-web/protocol';
import type { Signal } from '@preact/signals';
import type { LiveSessions } from '../live/live-sessions.ts';
import { counted, patternsIn } from './format.ts';
import { TextField } from './text-field.tsx';

const MAX_NAMED = 5;

interface PatternsProps {
  /** Patterns, separated by spaces or commas. */
  readonly value: Signal<string>;
  readonly sessions: LiveSessions;
}

export function PatternsField({ value, sessions }: PatternsProps) {
  const patterns = patternsIn(value.value);
  const ids = [...(sessions.all.value?.keys() ?? [])];
  const matching = ids.filter((id) => patterns.some((pattern) => matchesPattern(pattern, id)));
  const named = matching.slice(0, MAX_NAMED).join(', ');
  const more = matching.length > MAX_NAMED ? ', …' : '';
  return (
    <TextField label="Sessions" value={value} required placeholder="shop-* main">
      Session ids, separated by spaces. * matches any characters. Patterns also cover later sessions.{' '}
      {patterns.length > 0 &&
        (matching.length === 0
          ? 'No session matches now.'
          : `${counted(matching.length, 'session')} now: ${named}${more}.`)}
    </TextField>
  );
}
