import type { KeyView } from '@chat-web/protocol';
import { useComputed } from '@preact/signals';
import { clock } from '../../live/clock.ts';
import { Badge } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { shortTime } from '../../parts/words.ts';

const TITLES = ['Key', 'Status', 'Scope', 'Sessions', 'Made', 'Expires'];

interface TableProps {
  readonly keys: readonly KeyView[];
  onRevoke(key: KeyView): void;
}

/** All keys, the newest first. */
export function KeyTable({ keys, onRevoke }: TableProps) {
  return (
    <Table titles={TITLES} hasActions>
      {keys.toReversed().map((key) => (
        <KeyRow key={key.id} of={key} onRevoke={onRevoke} />
      ))}
    </Table>
  );
}

function KeyRow({ of: key, onRevoke }: { readonly of: KeyView; onRevoke(key: KeyView): void }) {
  const { id, name, scope, sessions, createdAt, expiresAt } = key;
  return (
    <tr>
      <th scope="row">
        {name} <code class="soft">{id}</code>
      </th>
      <td data-title="Status" class="short">
        <KeyStatus key={expiresAt} expiresAt={expiresAt} />
      </td>
      <td data-title="Scope" class="short">
        {scope}
      </td>
      <td data-title="Sessions">{sessions.join(', ')}</td>
      <td data-title="Made" class="short">
        <Time at={createdAt} />
      </td>
      <td data-title="Expires">
        {expiresAt === undefined ? (
          'never'
        ) : (
          <>
            <Time at={expiresAt} /> <span class="soft">{shortTime(Date.parse(expiresAt), clock.peek())}</span>
          </>
        )}
      </td>
      <td class="action">
        <button type="button" class="danger" aria-label={`Revoke ${name}`} onClick={() => onRevoke(key)}>
          Revoke …
        </button>
      </td>
    </tr>
  );
}

/** An expired key is listed until the next one is made or revoked. */
function KeyStatus({ expiresAt }: { readonly expiresAt: string | undefined }) {
  const isExpired = useComputed(() => expiresAt !== undefined && Date.parse(expiresAt) <= clock.value);
  return <Badge tone={isExpired.value ? 'off' : 'good'}>{isExpired.value ? 'Expired' : 'Valid'}</Badge>;
}
