import type { KeyView } from '@chat-web/protocol';
import { useComputed, useSignal } from '@preact/signals';
import { connection } from '../../connection.ts';
import type { LiveSessions } from '../../live/live-sessions.ts';
import { Reading, useLoaded } from '../../parts/action.tsx';
import { Empty } from '../../parts/empty.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { showSecret } from '../../parts/secret.tsx';
import { Badge } from '../../parts/status.tsx';
import { type Column, Records } from '../../parts/table.tsx';
import { clock, ShortTime, Time } from '../../parts/time.tsx';
import { NewKey } from './new-key.tsx';

const READ_EVERY_MS = 10_000;
const KEY_NOTE =
  'The gateway keeps only its hash. The application sends it as a bearer token: Authorization: Bearer cwk_…';

const COLUMNS: readonly Column<KeyView>[] = [
  {
    title: 'Key',
    kind: 'name',
    of: ({ id, name }) => (
      <>
        {name} <code class="soft">{id}</code>
      </>
    ),
  },
  {
    title: 'Status',
    kind: 'short',
    of: ({ expiresAt }) => <KeyStatus key={expiresAt} expiresAt={expiresAt} />,
  },
  { title: 'Scope', kind: 'short', of: ({ scope }) => scope },
  { title: 'Sessions', of: ({ sessions }) => sessions.join(', ') },
  {
    title: 'Limits',
    of: ({ recipients, sendsPerHour, maxSessions }) =>
      [
        recipients && `to ${recipients.join(', ')}`,
        sendsPerHour && `${sendsPerHour} sends an hour`,
        maxSessions && `${maxSessions} sessions`,
      ]
        .filter(Boolean)
        .join('; ') || 'none',
  },
  { title: 'Created', kind: 'short', of: ({ createdAt }) => <Time at={createdAt} /> },
  {
    title: 'Expires',
    of: ({ expiresAt }) =>
      expiresAt === undefined ? (
        'never'
      ) : (
        <>
          <Time at={expiresAt} />{' '}
          <span class="soft">
            <ShortTime at={expiresAt} />
          </span>
        </>
      ),
  },
];

export function KeysView({ sessions }: { readonly sessions: LiveSessions }) {
  if (connection().access.id !== 'open') return <Keys sessions={sessions} />;
  return (
    <>
      <h1>Keys</h1>
      <Empty title="Keys need CHAT_WEB_TOKEN.">
        <p>
          This gateway is open: anyone who can reach it can do everything. Set CHAT_WEB_TOKEN and restart it
          (docs/access.md); then create a key for each application here.
        </p>
      </Empty>
    </>
  );
}

function Keys({ sessions }: { readonly sessions: LiveSessions }) {
  const loaded = useLoaded('listKeys', {}, READ_EVERY_MS);
  /** The key to replace, or `new`. */
  const wanted = useSignal<KeyView | 'new' | undefined>(undefined);
  const revoked = useSignal<KeyView | undefined>(undefined);
  return (
    <>
      <div class="title">
        <h1>Keys</h1>
        <button type="button" class="primary" onClick={() => (wanted.value = 'new')}>
          New key
        </button>
      </div>
      <Reading of={loaded} what="the keys">
        {({ keys }) =>
          keys.length === 0 ? (
            <Empty title="There is no key yet.">
              <p>
                Create one for each application: it sees only the sessions that you name, and does only what you allow.
              </p>
            </Empty>
          ) : (
            <Records
              columns={COLUMNS}
              rows={keys.toReversed()}
              keyOf={({ id }) => id}
              actions={(key) => (
                <>
                  <button type="button" aria-label={`Rotate ${key.name}`} onClick={() => (wanted.value = key)}>
                    Rotate …
                  </button>{' '}
                  <button
                    type="button"
                    class="danger"
                    aria-label={`Revoke ${key.name}`}
                    onClick={() => (revoked.value = key)}
                  >
                    Revoke …
                  </button>
                </>
              )}
            />
          )
        }
      </Reading>
      {wanted.value && (
        <NewKey
          sessions={sessions}
          like={wanted.value === 'new' ? undefined : wanted.value}
          onCreated={({ name, key }) => {
            showSecret({ title: `The key ${name}`, value: key, note: KEY_NOTE });
            void loaded.reload();
          }}
          onClose={() => (wanted.value = undefined)}
        />
      )}
      {revoked.value && (
        <RevokeDialog
          of={revoked.value}
          onClose={() => {
            revoked.value = undefined;
            void loaded.reload();
          }}
        />
      )}
    </>
  );
}

function RevokeDialog({ of: { id, name }, onClose }: { readonly of: KeyView; onClose(): void }) {
  return (
    <FormDialog
      title={`Revoke ${name}?`}
      verb="Revoke"
      isDangerous
      work={() => connection().client.deleteKey({ keyId: id })}
      onClose={onClose}
    >
      <p>
        Its next request is refused with 401, its streams end within a second, and the webhooks that it created are
        disabled. It cannot be undone: the application needs another key.
      </p>
    </FormDialog>
  );
}

/** An expired key is listed until the next key is created or revoked. */
function KeyStatus({ expiresAt }: { readonly expiresAt: string | undefined }) {
  const isExpired = useComputed(() => expiresAt !== undefined && Date.parse(expiresAt) <= clock.value);
  return <Badge tone={isExpired.value ? 'off' : 'good'}>{isExpired.value ? 'Expired' : 'Valid'}</Badge>;
}
