import { useComputed } from '@preact/signals';
import { clock } from '../live/clock.ts';
import { fullTime, relativeTime } from './words.ts';

/** A time in ISO 8601, as seen from now. */
export function Time({ at }: { readonly at: string }) {
  const ms = Date.parse(at);
  return (
    <time dateTime={at} title={fullTime(ms)}>
      <Relative key={ms} ms={ms} />
    </time>
  );
}

/** Only its text is drawn again, and only when it is another one. */
function Relative({ ms }: { readonly ms: number }) {
  const text = useComputed(() => relativeTime(ms, clock.value));
  return <>{text}</>;
}
