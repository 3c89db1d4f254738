import type { OperationAnswer, operations, WebhookView } from '@chat-web/protocol';
import { useSignal } from '@preact/signals';
import { connection } from '../../connection.ts';
import type { LiveSessions } from '../../live/live-sessions.ts';
import { Reading, useLoaded } from '../../parts/action.tsx';
import { Empty } from '../../parts/empty.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { showWebhookSecret } from '../../parts/secret.tsx';
import { type Column, Records } from '../../parts/table.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { Time } from '../../parts/time.tsx';
import { hrefTo } from '../../route.ts';
import { PositionField, positionOf, useStart } from './position-field.tsx';
import { subscriptionOf, useWritten, WebhookFields } from './webhook-fields.tsx';
import { WebhookCause, WebhookStatus } from './webhook-status.tsx';

const READ_EVERY_MS = 5_000;

const COLUMNS: readonly Column<WebhookView>[] = [
  {
    title: 'Webhook',
    kind: 'name',
    of: ({ id, url }) => (
      <>
        <a href={hrefTo('webhooks', id)}>{url}</a> <code class="soft">{id}</code>
      </>
    ),
  },
  { title: 'Status', kind: 'short', of: (webhook) => <WebhookStatus of={webhook} /> },
  { title: 'What happened', kind: 'what', of: (webhook) => <WebhookCause of={webhook} /> },
  { title: 'Sessions', of: ({ sessions }) => sessions.join(', ') },
  { title: 'Waiting', kind: 'short', of: ({ waiting }) => waiting || '' },
  { title: 'Dead letters', kind: 'short', of: ({ deadLetters }) => deadLetters || '' },
  {
    title: 'Last success',
    kind: 'short',
    of: ({ lastSuccessAt }) => (lastSuccessAt === undefined ? 'none yet' : <Time at={lastSuccessAt} />),
  },
];

export function WebhooksView({ sessions }: { readonly sessions: LiveSessions }) {
  const loaded = useLoaded('listWebhooks', {}, READ_EVERY_MS);
  return (
    <>
      <div class="title">
        <h1>Webhooks</h1>
        <NewWebhook
          sessions={sessions}
          onMade={(webhook) => {
            showWebhookSecret(webhook);
            void loaded.reload();
          }}
        />
      </div>
      <Reading of={loaded} what="the webhooks">
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <Empty title="There is no webhook yet.">
              <p>Create one: the gateway posts events to your application, and loses none while it is down.</p>
            </Empty>
          ) : (
            <Records columns={COLUMNS} rows={webhooks.toReversed()} keyOf={({ id }) => id} />
          )
        }
      </Reading>
    </>
  );
}

interface NewWebhookProps {
  readonly sessions: LiveSessions;
  onMade(webhook: OperationAnswer<(typeof operations)['createWebhook']>): void;
}

function NewWebhook(props: NewWebhookProps) {
  const isOpen = useSignal(false);
  return (
    <>
      <button type="button" class="primary" onClick={() => (isOpen.value = true)}>
        New webhook
      </button>
      {isOpen.value && <NewWebhookDialog {...props} onClose={() => (isOpen.value = false)} />}
    </>
  );
}

function NewWebhookDialog({ sessions, onMade, onClose }: NewWebhookProps & { onClose(): void }) {
  const written = useWritten();
  const start = useStart('now');
  const make = async () => {
    const after = positionOf(start);
    const wanted = { ...subscriptionOf(written), ...(after === undefined ? {} : { after }) };
    const webhook = await connection().client.createWebhook(wanted);
    onMade(webhook);
  };
  return (
    <FormDialog title="New webhook" verb="Create webhook" work={make} onClose={onClose}>
      <WebhookFields written={written} sessions={sessions} />
      <TextField label="Header Authorization" value={written.authorization} placeholder="Bearer …">
        Only if the application asks for it. It is never shown again.
      </TextField>
      <PositionField start={start} choices={['now', 'oldest', 'event']} />
    </FormDialog>
  );
}
