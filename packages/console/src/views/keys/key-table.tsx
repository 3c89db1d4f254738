import type { KeyView } from '@chat-web/protocol';
import { useComputed } from '@preact/signals';
import { clock } from '../../live/clock.ts';
import { Badge } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { ShortTime, Time } from '../../parts/time.tsx';

const TITLES = ['Key', 'Status', 'Scope', 'Sessions', 'Created', 'Expires'];

interface TableProps {
  readonly keys: readonly KeyView[];
  onRotate(key: KeyView): void;
  onRevoke(key: KeyView): void;
}

/** All keys, the newest first. */
export function KeyTable({ keys, ...actions }: TableProps) {
  return (
    <Table titles={TITLES} hasActions>
      {keys.toReversed().map((key) => (
        <KeyRow key={key.id} of={key} {...actions} />
      ))}
    </Table>
  );
}

function KeyRow({ of: key, onRotate, onRevoke }: Omit<TableProps, 'keys'> & { readonly of: KeyView }) {
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
      <td data-title="Created" class="short">
        <Time at={createdAt} />
      </td>
      <td data-title="Expires">
        {expiresAt === undefined ? (
          'never'
        ) : (
          <>
            <Time at={expiresAt} />{' '}
            <span class="soft">
              <ShortTime at={expiresAt} />
            </span>
          </>
        )}
      </td>
      <td class="action">
        <button type="button" aria-label={`Rotate ${name}`} onClick={() => onRotate(key)}>
          Rotate …
        </button>{' '}
        <button type="button" class="danger" aria-label={`Revoke ${name}`} onClick={() => onRevoke(key)}>
          Revoke …
        </button>
      </td>
    </tr>
  );
}

/** An expired key is listed until the next key is created or revoked. */
function KeyStatus({ expiresAt }: { readonly expiresAt: string | undefined }) {
  const isExpired = useComputed(() => expiresAt !== undefined && Date.parse(expiresAt) <= clock.value);
  return <Badge tone={isExpired.value ? 'off' : 'good'}>{isExpired.value ? 'Expired' : 'Valid'}</Badge>;
}
