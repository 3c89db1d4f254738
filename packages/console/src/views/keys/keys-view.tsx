import type { KeyView } from '@chat-web/protocol';
import { useSignal } from '@preact/signals';
import { connection } from '../../connection.ts';
import type { LiveSessions } from '../../live/live-sessions.ts';
import { useLoaded } from '../../parts/action.tsx';
import { Empty } from '../../parts/empty.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Reading } from '../../parts/reading.tsx';
import { Secret } from '../../parts/secret.tsx';
import { KeyTable } from './key-table.tsx';
import { NewKey } from './new-key.tsx';

const READ_EVERY_MS = 10_000;

/** The keys of the gateway: whom they are for, what they allow, and until when. */
export function KeysView({ sessions }: { readonly sessions: LiveSessions }) {
  return (
    <>
      {connection().access.id === 'open' ? (
        <>
          <h1>Keys</h1>
          <Empty title="Keys need CHAT_WEB_TOKEN.">
            <p>
              This gateway is open: whoever reaches it may do everything. Set CHAT_WEB_TOKEN and start it again
              (docs/access.md); then make a key for each application here.
            </p>
          </Empty>
        </>
      ) : (
        <Keys sessions={sessions} />
      )}
    </>
  );
}

function Keys({ sessions }: { readonly sessions: LiveSessions }) {
  const loaded = useLoaded((signal) => connection().client.listKeys({}, { signal, retries: 0 }), {
    everyMs: READ_EVERY_MS,
  });
  const made = useSignal<(KeyView & { readonly key: string }) | undefined>(undefined);
  const revoked = useSignal<KeyView | undefined>(undefined);
  const newKey = (
    <NewKey
      sessions={sessions}
      onMade={(key) => {
        made.value = key;
        void loaded.reload();
      }}
    />
  );
  return (
    <>
      <div class="title">
        <h1>Keys</h1>
        {newKey}
      </div>
      {made.value && (
        <Secret
          key={made.value.id}
          title={`The key ${made.value.name}`}
          value={made.value.key}
          onDone={() => (made.value = undefined)}
        >
          The gateway keeps only its hash. The application sends it as a bearer token: Authorization: Bearer cwk_…
        </Secret>
      )}
      <Reading of={loaded} what="the keys">
        {({ keys }) =>
          keys.length === 0 ? (
            <Empty title="There is no key yet.">
              <p>
                Make one for each application: it sees only the sessions that you name, and does only what you allow.
              </p>
            </Empty>
          ) : (
            <KeyTable keys={keys} onRevoke={(key) => (revoked.value = key)} />
          )
        }
      </Reading>
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
        Its next request is refused with 401, its streams end within a second, and the webhooks that it made are
        disabled. It cannot be undone: the application needs another key.
      </p>
    </FormDialog>
  );
}
