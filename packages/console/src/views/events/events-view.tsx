import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { LiveSessions } from '../../live/live-sessions.ts';
import { Failure } from '../../parts/action.tsx';
import { Empty } from '../../parts/empty.tsx';
import { counted } from '../../parts/format.ts';
import { memo } from '../../parts/memo.ts';
import { Table } from '../../parts/table.tsx';
import { ShortTime } from '../../parts/time.tsx';
import { hrefTo } from '../../route.ts';
import { type EventEntry, MAX_EVENTS } from './event-buffer.ts';
import { EventDetails } from './event-details.tsx';
import { EventFeed, namesToSee } from './event-feed.ts';
import { ContentsSwitch, contentsShown, EventFilters } from './event-filters.tsx';
import { eventText } from './event-text.ts';
import { StartPositionForm } from './start-position-form.tsx';

const TITLES = ['Event', 'Time', 'Session', 'What happened'];

interface EventsProps {
  readonly sessions: LiveSessions;
  /** The sessions that are selected at first, as ids or patterns. Empty: all. */
  readonly only: string;
}

export function EventsView({ sessions, only }: EventsProps) {
  const feed = useMemo(() => new EventFeed(only), [only]);
  useEffect(() => feed.start(), [feed]);
  const chosen = useSignal<EventEntry | undefined>(undefined);
  const ids = useComputed(() => [...(sessions.all.value?.keys() ?? [])]);
  const withContents = contentsShown.value;
  const { value: entries } = feed.entries;
  const close = () => {
    const row = document.querySelector<HTMLElement>(`[data-key="${CSS.escape(chosen.peek()?.key ?? '')}"] button`);
    chosen.value = undefined;
    (row ?? document.getElementById('main'))?.focus(); // The row may have left the list.
  };
  return (
    <>
      <div class="title">
        <h1>Events</h1>
        <FeedStatus feed={feed} />
      </div>
      <EventFilters
        filter={feed.filter.value}
        names={namesToSee()}
        ids={ids.value}
        onChange={(filter) => {
          feed.filter.value = filter;
        }}
      />
      <div class="buttons stream">
        <PauseButton feed={feed} />
        <ContentsSwitch />
        <StartPositionForm
          startAt={feed.startAt.value}
          onChange={(startAt) => {
            feed.startAt.value = startAt;
          }}
        />
      </div>
      {feed.failure.value !== undefined && (
        <>
          <Failure error={feed.failure.value} />
          <button type="button" onClick={() => feed.again()}>
            Try again
          </button>
        </>
      )}
      <div class={chosen.value ? 'with-details' : ''}>
        <div>
          {entries.length === 0 ? (
            <NoEvents feed={feed} />
          ) : (
            <Table kind="events" titles={TITLES}>
              {entries.map((entry) => (
                <EventRow
                  key={entry.key}
                  entry={entry}
                  withContents={withContents}
                  isChosen={entry.key === chosen.value?.key}
                  onChoose={(one) => {
                    chosen.value = one;
                  }}
                />
              ))}
            </Table>
          )}
          {entries.length === MAX_EVENTS && (
            <p class="soft">The newest {MAX_EVENTS} are shown. Narrow the filter to see older ones.</p>
          )}
        </div>
        {chosen.value && (
          <EventDetails
            entry={chosen.value}
            withContents={withContents}
            onClose={close}
            onStartPosition={(position) => {
              feed.startAt.value = { is: 'after', position };
            }}
          />
        )}
      </div>
    </>
  );
}

function FeedStatus({ feed }: { readonly feed: EventFeed }) {
  const { value: state } = feed.state;
  const words = { connecting: 'Connecting …', reading: 'Reading …', live: 'Live', lost: 'Reconnecting …' };
  return (
    <span role="status" class="soft">
      {feed.failure.value !== undefined ? 'Ended' : feed.isPaused.value ? 'Paused' : state && words[state]}
    </span>
  );
}

function PauseButton({ feed }: { readonly feed: EventFeed }) {
  const { heldCount } = feed.buffer.value;
  const dropped = heldCount - (feed.buffer.value.held?.length ?? heldCount);
  if (!feed.isPaused.value)
    return (
      <button type="button" onClick={() => feed.pause()}>
        Pause
      </button>
    );
  return (
    <>
      <button type="button" class="primary" onClick={() => feed.resume()}>
        Resume
      </button>
      <span>
        {counted(heldCount, 'event')} meanwhile
        {dropped > 0 && `; the newest ${MAX_EVENTS} will be shown`}
      </span>
    </>
  );
}

function NoEvents({ feed }: { readonly feed: EventFeed }) {
  if (feed.failure.value !== undefined) return null;
  if (feed.filter.value.names.size === 0) return <Empty title="Choose at least one event." />;
  if (feed.state.value !== 'live') return <Empty title="Reading the events …" />;
  return (
    <Empty title="No event matches the filter.">
      <p>New events appear here as they happen. To see older events, choose an earlier start.</p>
    </Empty>
  );
}

interface RowProps {
  readonly entry: EventEntry;
  readonly withContents: boolean;
  readonly isChosen: boolean;
  onChoose(entry: EventEntry): void;
}

/** An event in the list. Pressing it shows its details. */
const EventRow = memo(
  ({ entry, withContents, isChosen, onChoose }: RowProps) => {
    const { name, session, at = '' } = entry.event;
    return (
      <tr class={isChosen ? 'chosen' : ''} data-key={entry.key}>
        <th scope="row">
          <button type="button" class="quiet" aria-pressed={isChosen} onClick={() => onChoose(entry)}>
            {name}
          </button>
        </th>
        <td class="when">
          <ShortTime at={at} />
        </td>
        <td>{session === undefined ? 'all sessions' : <a href={hrefTo('sessions', session)}>{session}</a>}</td>
        <td class="what">{eventText(entry.event, withContents)}</td>
      </tr>
    );
  },
  (before, after) =>
    before.entry.key === after.entry.key &&
    before.withContents === after.withContents &&
    before.isChosen === after.isChosen,
);
