import type { ListenedEvent } from '@chat-web/host';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { connection } from '../../connection.ts';
import { type FollowState, followEvents, inBatches } from '../../live/follow-events.ts';
import { Failure } from '../../parts/action.tsx';
import { Empty } from '../../parts/empty.tsx';
import { fullTime } from '../../parts/format.ts';
import { STATUS_WORDS } from '../../parts/status.tsx';
import { ShortTime } from '../../parts/time.tsx';

const TIMELINE_EVENTS = ['status', 'passkey_required', 'gap'] as const;
type TimelineEvent = ListenedEvent<(typeof TIMELINE_EVENTS)[number]>;

export function timelineText(event: TimelineEvent): string {
  switch (event.name) {
    case 'status': {
      const { status, message, nextAttemptAt } = event.data;
      const next = nextAttemptAt === undefined ? '' : `; next attempt ${fullTime(Date.parse(nextAttemptAt))}`;
      return `${STATUS_WORDS[status]}${message === undefined ? '' : `: ${message}`}${next}`;
    }
    case 'passkey_required':
      return event.data.message;
    case 'gap':
      return gapText(event.data);
  }
}

function gapText(gap: Extract<TimelineEvent, { name: 'gap' }>['data']): string {
  switch (gap.reason) {
    case 'not_loaded':
      return `Messages from ${timeOf(gap.from)} to ${timeOf(gap.to)} are missing: the page did not load them.`;
    case 'not_stored':
      return `Events from ${timeOf(gap.from)} to ${timeOf(gap.to)} are missing: they could not be written to disk.`;
    case 'damaged':
      return 'Events are missing: a part of the journal is unreadable.';
    case 'expired':
      return 'Earlier events were deleted, because of their age or the size of the journal.';
    case 'unknown_position':
      return 'Earlier events are not known to this gateway.';
  }
}

function timeOf(written: string): string {
  return fullTime(Date.parse(written));
}

interface Moment {
  readonly key: string;
  readonly at: string;
  readonly text: string;
}

const HOUR_MS = 3_600_000;
const SPANS = [1, 24, 72] as const;
const MAX_MOMENTS = 500;

/** The events of a session from the journal, newest first, and new ones live. */
export function Timeline({ id }: { readonly id: string }) {
  const hours = useSignal<number>(24);
  const moments = useSignal<readonly Moment[]>([]);
  const state = useSignal<FollowState>('connecting');
  const failure = useSignal<unknown>(undefined);
  useEffect(() => {
    const over = new AbortController();
    moments.value = [];
    let withoutId = 0;
    const take = inBatches<Moment>(over.signal, (batch) => {
      moments.value = [...batch.toReversed(), ...moments.value].slice(0, MAX_MOMENTS);
    });
    const stop = followEvents(connection().address, {
      sessions: [id],
      events: TIMELINE_EVENTS,
      from: new Date(Date.now() - hours.value * HOUR_MS).toISOString(),
      onEvent: (event) => {
        const key = event.id ?? `none ${withoutId++}`;
        take({ key, at: event.at ?? '', text: timelineText(event) });
      },
      onState: (next) => {
        state.value = next;
        failure.value = undefined;
      },
      onRefused: (error) => {
        failure.value = error;
      },
    });
    return () => {
      over.abort();
      stop();
    };
  }, [id, hours.value, moments, state, failure]);
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
      <Failure error={failure.value} />
      {moments.value.length === 0 ? (
        failure.value === undefined && (
          <Empty title={state.value === 'live' ? 'No event in this time.' : 'Reading the events …'} />
        )
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
