import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { connection } from '../../connection.ts';
import { type FollowState, followEvents } from '../../live/follow-events.ts';
import { inBatches } from '../../live/in-batches.ts';
import { Empty } from '../../parts/empty.tsx';
import { ShortTime } from '../../parts/time.tsx';
import { TIMELINE_EVENTS, timelineText } from './timeline-text.ts';

/** An entry of the timeline. */
interface Moment {
  /** The id of the event. */
  readonly key: string;
  readonly at: string;
  readonly text: string;
}

const HOUR_MS = 3_600_000;
const SPANS = [1, 24, 72] as const;
/** Older ones are not shown. */
const MOST = 500;

/** The events of a session from the journal, newest first, and new ones live. */
export function Timeline({ id }: { readonly id: string }) {
  const hours = useSignal<number>(24);
  const moments = useSignal<readonly Moment[]>([]);
  const state = useSignal<FollowState>('connecting');
  useEffect(() => {
    const over = new AbortController();
    moments.value = [];
    const take = inBatches<Moment>(over.signal, (batch) => {
      moments.value = [...batch.toReversed(), ...moments.value].slice(0, MOST);
    });
    const stop = followEvents(connection().address, {
      ...{ sessions: [id], events: TIMELINE_EVENTS },
      from: new Date(Date.now() - hours.value * HOUR_MS).toISOString(),
      onEvent: (event) => take({ key: event.id ?? '', at: event.at ?? '', text: timelineText(event) }),
      onState: (next) => {
        state.value = next;
      },
    });
    return () => {
      over.abort();
      stop();
    };
  }, [id, hours.value, moments, state]);
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
        <Empty title={state.value === 'live' ? 'No event in this time.' : 'Reading the events …'} />
      ) : (
        <ol class="timeline">
          {moments.value.map(({ key, at, text }) => (
            <li key={key}>
              <ShortTime at={at} /> {text}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
