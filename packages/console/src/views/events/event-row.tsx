import { memo } from '../../parts/memo.ts';
import { ShortTime } from '../../parts/time.tsx';
import { hrefTo } from '../../route.ts';
import type { EventEntry } from './event-buffer.ts';
import { eventText } from './event-text.ts';

interface RowProps {
  readonly entry: EventEntry;
  readonly withContents: boolean;
  readonly isChosen: boolean;
  onChoose(entry: EventEntry): void;
}

/** An event in the list. Pressing it shows its details. */
export const EventRow = memo(
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
