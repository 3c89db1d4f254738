import { computed, type ReadonlySignal, signal, useComputed } from '@preact/signals';
import { fullTime, relativeTime, shortTime } from './format.ts';

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

const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1_000);
document.addEventListener('visibilitychange', () => {
  now.value = Date.now();
});

/** The current time in Unix ms, updated each second while the page is visible. */
export const clock: ReadonlySignal<number> = now;

/** The start of the current day in the local time zone, in Unix ms. */
const today: ReadonlySignal<number> = computed(() => new Date(now.value).setHours(0, 0, 0, 0));
