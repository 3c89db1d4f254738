import type { SessionView } from '@chat-web/host';
import { bytesText } from '../../parts/format.ts';
import { memo } from '../../parts/memo.ts';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { hrefTo } from '../../route.ts';

interface RowProps {
  readonly session: SessionView;
  /** Undefined: sessions cannot be selected. */
  readonly isChosen: boolean | undefined;
  onToggle(id: string): void;
}

/** A session in the list. It is drawn again only when it has changed. */
export const SessionRow = memo(
  ({ session, isChosen, onToggle }: RowProps) => {
    const { id, since, message, nextAttemptAt, restarts, memory, diskBytes, lastEventAt, pageVersion, degraded } =
      session;
    return (
      <tr>
        {isChosen !== undefined && (
          <td class="choice">
            <input type="checkbox" aria-label={`Select ${id}`} checked={isChosen} onChange={() => onToggle(id)} />
          </td>
        )}
        <th scope="row">
          <a href={hrefTo('sessions', id)}>{id}</a>
        </th>
        <td data-title="Status">
          <Status session={session} /> <span class="soft">{<Time at={since} />}</span>
        </td>
        <td data-title="What happened" class="what">
          {message ?? (session.status === 'qr' && 'waiting for its QR to be scanned')}
          {nextAttemptAt && (
            <>
              {' '}
              Next attempt <Time at={nextAttemptAt} />.
            </>
          )}
        </td>
        <td data-title="Restarts" class="number">
          {restarts || ''}
        </td>
        <td data-title="Memory" class="number">
          {memory && bytesText(memory.workerBytes + memory.browserBytes)}
        </td>
        <td data-title="Disk" class="number">
          {diskBytes !== undefined && bytesText(diskBytes)}
        </td>
        <td data-title="Last event">{lastEventAt && <Time at={lastEventAt} />}</td>
        <td data-title="Page">
          {pageVersion}
          {degraded && degraded.length > 0 && <span class="soft"> {degraded.length} degraded</span>}
        </td>
      </tr>
    );
  },
  (before, after) => before.session === after.session && before.isChosen === after.isChosen,
);
