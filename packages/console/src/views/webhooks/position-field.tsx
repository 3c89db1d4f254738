import { type Signal, useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { TextField } from '../../parts/text-field.tsx';

export interface Start {
  readonly from: Signal<'now' | 'oldest' | 'event'>;
  readonly event: Signal<string>;
}

const TEXTS: Readonly<Record<Start['from']['value'], string>> = {
  now: 'With new events only',
  oldest: 'With all events in the journal',
  event: 'After an event',
};

export function useStart(from: Start['from']['value']): Start {
  return { from: useSignal(from), event: useSignal('') };
}

/** The value for the API; undefined: from now on. */
export function positionOf({ from, event }: Start): string | undefined {
  return from.value === 'event' ? event.value.trim() : from.value === 'oldest' ? 'oldest' : undefined;
}

interface PositionProps {
  readonly start: Start;
  readonly choices: readonly Start['from']['value'][];
  readonly example?: string | undefined;
}

export function PositionField({ start: { from, event }, choices, example }: PositionProps) {
  const name = useId();
  return (
    <fieldset>
      <legend>Begins</legend>
      {choices.map((choice) => (
        <label key={choice} class="option">
          <input
            type="radio"
            name={name}
            checked={from.value === choice}
            onChange={() => {
              from.value = choice;
            }}
          />
          <span>{TEXTS[choice]}</span>
        </label>
      ))}
      {from.value === 'event' && (
        <TextField label="Id of the event" value={event} required placeholder={example}>
          As in streams, pages and webhooks (webhook-id).
        </TextField>
      )}
    </fieldset>
  );
}
