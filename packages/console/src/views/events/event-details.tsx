import { useEffect, useRef } from 'preact/hooks';
import { connection } from '../../connection.ts';
import { Code } from '../../parts/copy-button.tsx';
import { fullTime } from '../../parts/format.ts';
import { jsonText } from '../../parts/shown-text.ts';
import { hrefTo } from '../../route.ts';
import { withoutContents } from './contents.ts';
import type { EventEntry } from './event-buffer.ts';

interface DetailsProps {
  readonly entry: EventEntry;
  readonly withContents: boolean;
  onClose(): void;
  onStartPosition(position: string): void;
}

export function EventDetails({ entry, withContents, onClose, onStartPosition }: DetailsProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [entry]);
  const { id, name, session, at, data } = entry.event;
  const shown = { id, event: name, session, at, data: withContents ? data : withoutContents(entry.event) };
  return (
    <aside
      class="details"
      aria-labelledby="event-details"
      onKeyDown={({ key }) => {
        if (key === 'Escape') onClose();
      }}
    >
      <div class="title">
        <h2 id="event-details" ref={heading} tabIndex={-1}>
          {name}
        </h2>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      <dl class="facts">
        <dt>When</dt>
        <dd>{at === undefined ? 'not known' : fullTime(Date.parse(at))}</dd>
        <dt>Session</dt>
        <dd>{session === undefined ? 'all' : <a href={hrefTo('sessions', session)}>{session}</a>}</dd>
        <dt>Id</dt>
        <dd>
          {id === undefined ? (
            'none: it is not stored'
          ) : (
            <>
              <code>{id}</code>{' '}
              <button type="button" class="quiet" onClick={() => onStartPosition(id)}>
                Begin after it
              </button>
            </>
          )}
        </dd>
      </dl>
      {!withContents && <p class="soft">“Show contents” above the list shows what is hidden.</p>}
      <Code title="The event" text={jsonText(shown)} />
      {id !== undefined && <Code title="Get it again" text={commandFor(entry)} />}
    </aside>
  );
}

/** It follows its position among the events with its name and session. */
function commandFor({ event: { name, session }, after }: EventEntry): string {
  const { address, access } = connection();
  const query = new URLSearchParams({ after, events: name, ...(session === undefined ? {} : { sessions: session }) });
  const url = `${address.url}/events?${query}&limit=1`.replaceAll("'", '%27');
  const token = access.id === 'open' ? [] : ['-H "Authorization: Bearer $TOKEN"'];
  return [`curl '${url}'`, ...token, "-H 'Accept: application/json'"].join(' \\\n  ');
}
