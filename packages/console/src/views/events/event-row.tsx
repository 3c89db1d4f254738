import { clock } from '../../live/clock.ts';
import { memo } from '../../parts/memo.ts';
import { shortTime } from '../../parts/words.ts';
import { hrefTo } from '../../route.ts';
import { eventText } from './event-text.ts';
import type { TapeEntry } from './tape.ts';

interface RowProps {
  readonly entry: TapeEntry;
  readonly withContents: boolean;
  readonly isChosen: boolean;
  onChoose(entry: TapeEntry): void;
}

/** An event in the list. A press shows all of it. */
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
          <time dateTime={at}>{shortTime(Date.parse(at), clock.peek())}</time>
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
