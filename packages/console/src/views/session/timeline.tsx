import { listen } from '@chat-web/host';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { connection } from '../../connection.ts';
import { clock } from '../../live/clock.ts';
import { inPortions } from '../../live/portions.ts';
import { whileSeen } from '../../live/while-seen.ts';
import { Empty } from '../../parts/empty.tsx';
import { shortTime } from '../../parts/words.ts';
import { TIMELINE_EVENTS, timelineText } from './timeline-text.ts';

/** Something that happened to a session. */
interface Moment {
  readonly id: string;
  readonly at: string;
  readonly text: string;
}

const HOUR_MS = 3_600_000;
const SPANS = [1, 24, 72] as const;
/** The oldest are not shown. */
const MOST = 500;

/** What happened to a session, newest first, from the journal: and what happens meanwhile. */
export function Timeline({ id }: { readonly id: string }) {
  const hours = useSignal<number>(24);
  const moments = useSignal<readonly Moment[]>([]);
  useEffect(() => {
    const span = hours.value * HOUR_MS;
    return whileSeen((signal) => {
      moments.value = [];
      void follow(id, new Date(Date.now() - span).toISOString(), signal, (found) => {
        moments.value = [...found.toReversed(), ...moments.value].slice(0, MOST);
      });
    });
  }, [id, hours.value, moments, hours]);
  return (
    <section aria-labelledby="timeline">
      <div class="title">
        <h2 id="timeline">Timeline</h2>
        <label class="inline">
          Last
          <select
            value={hours}
            onChange={(event) => {
              hours.value = Number(event.currentTarget.value);
            }}
          >
            {SPANS.map((span) => (
              <option key={span} value={span}>
                {span === 1 ? 'hour' : `${span} hours`}
              </option>
            ))}
          </select>
        </label>
      </div>
      {moments.value.length === 0 ? (
        <Empty title="Nothing has happened to it in this time." />
      ) : (
        <ol class="timeline">
          {moments.value.map(({ id: key, at, text }) => (
            <li key={key}>
              <time dateTime={at}>{shortTime(Date.parse(at), clock.peek())}</time> {text}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

/** Hands over what has happened since a time, and what happens until the signal aborts, oldest first, in portions. */
async function follow(
  id: string,
  since: string,
  signal: AbortSignal,
  tell: (found: readonly Moment[]) => void,
): Promise<void> {
  const options = { sessions: [id], events: TIMELINE_EVENTS, from: since, signal, onError: () => {} };
  const events = listen(connection().address, options);
  const take = inPortions(signal, tell);
  try {
    for await (const event of events) {
      const { id: position = '', at = '' } = event;
      take({ id: position, at, text: timelineText(event) });
    }
  } catch {
    // The key does not hold any more: the list says so.
  }
}
