import { useComputed } from '@preact/signals';
import { clock, today } from '../live/clock.ts';
import { fullTime, relativeTime, shortTime } from './words.ts';

/** A time in ISO 8601, relative to now. */
export function Time({ at }: { readonly at: string }) {
  const ms = Date.parse(at);
  return (
    <time dateTime={at} title={fullTime(ms)}>
      <Relative key={ms} ms={ms} />
    </time>
  );
}

/** A time in ISO 8601 as a time of day; on another day, with its date. */
export function ShortTime({ at }: { readonly at: string }) {
  const ms = Date.parse(at);
  return (
    <time dateTime={at} title={fullTime(ms)}>
      {Number.isNaN(ms) ? '' : shortTime(ms, today.value)}
    </time>
  );
}

/** Redraws only its text, and only when the text changes. */
function Relative({ ms }: { readonly ms: number }) {
  const text = useComputed(() => relativeTime(ms, clock.value));
  return <>{text}</>;
}
