import type { ChangedWebhook, OperationAnswer, operations, WebhookView } from '@chat-web/protocol';
import { useSignal } from '@preact/signals';
import { connection } from '../../connection.ts';
import type { LiveSessions } from '../../live/live-sessions.ts';
import { Failure, useAction } from '../../parts/action.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { shortTime } from '../../parts/format.ts';
import { showWebhookSecret } from '../../parts/secret.tsx';
import { goTo } from '../../route.ts';
import { PositionField, positionOf, useStart } from './position-field.tsx';
import { subscriptionOf, useWritten, WebhookFields } from './webhook-fields.tsx';

interface ButtonsProps {
  readonly of: WebhookView;
  readonly sessions: LiveSessions;
  onDone(): void;
}

export function WebhookButtons({ of: webhook, sessions, onDone }: ButtonsProps) {
  const { id, url, status } = webhook;
  const openDialog = useSignal<'change' | 'rotate' | 'replay' | 'delete' | undefined>(undefined);
  const tested = useSignal('');
  const test = useAction(async () => {
    tested.value = testText(await connection().client.testWebhook({ webhookId: id }));
    onDone();
  });
  const enable = useAction(async () => {
    const { sessions: patterns, events, chats, from } = webhook;
    await connection().client.updateWebhook({
      webhookId: id,
      url,
      sessions: patterns,
      events: events as ChangedWebhook['events'],
      ...(chats ? { chats } : {}),
      ...(from ? { from } : {}),
    });
    onDone();
  });
  const close = () => {
    openDialog.value = undefined;
    onDone();
  };
  return (
    <div class="buttons">
      {status === 'disabled' && (
        <button type="button" class="primary" aria-disabled={enable.isBusy.value} onClick={() => void enable.run()}>
          Enable
        </button>
      )}
      <button type="button" aria-disabled={test.isBusy.value} onClick={() => void test.run()}>
        Send a test
      </button>
      <button type="button" onClick={() => (openDialog.value = 'change')}>
        Change …
      </button>
      <button type="button" onClick={() => (openDialog.value = 'replay')}>
        Replay …
      </button>
      <button type="button" onClick={() => (openDialog.value = 'rotate')}>
        Rotate the secret …
      </button>
      <button type="button" class="danger" onClick={() => (openDialog.value = 'delete')}>
        Delete …
      </button>
      <span role="status">{test.isBusy.value ? 'Sending …' : tested.value}</span>
      <Failure error={test.failure.value ?? enable.failure.value} />
      {openDialog.value === 'change' && <ChangeWebhook of={webhook} sessions={sessions} onClose={close} />}
      {openDialog.value === 'replay' && <ReplayWebhook of={webhook} onClose={close} />}
      {openDialog.value === 'rotate' && (
        <FormDialog
          title="Rotate the secret?"
          verb="Rotate"
          work={async () => showWebhookSecret(await connection().client.rotateWebhookSecret({ webhookId: id }))}
          onClose={close}
        >
          <p>The application gets a new one. For 24 hours the current one signs as well.</p>
        </FormDialog>
      )}
      {openDialog.value === 'delete' && (
        <FormDialog
          title="Delete the webhook?"
          verb="Delete"
          isDangerous
          work={async () => {
            await connection().client.deleteWebhook({ webhookId: id });
            goTo('webhooks');
          }}
          onClose={close}
        >
          <p class="names">Nothing more is posted to {url}. Waiting events and dead letters are lost.</p>
        </FormDialog>
      )}
    </div>
  );
}

/** With its time: the status beside it may have changed since. */
function testText({ ok, ms, message = '' }: OperationAnswer<(typeof operations)['testWebhook']>): string {
  const now = Date.now();
  const result = ok ? `The test was delivered in ${ms} ms` : `The test was not delivered: ${message}`;
  return `${result} (${shortTime(now, now)}).`;
}

interface ChangeProps {
  readonly of: WebhookView;
  readonly sessions: LiveSessions;
  onClose(): void;
}

function ChangeWebhook({ of: webhook, sessions, onClose }: ChangeProps) {
  const written = useWritten(webhook);
  const change = async () => {
    await connection().client.updateWebhook({ webhookId: webhook.id, ...subscriptionOf(written) });
  };
  return (
    <FormDialog title="Change the webhook" verb="Save" work={change} onClose={onClose}>
      <WebhookFields written={written} sessions={sessions} />
      <p class="soft">
        It keeps its secret, its headers and its position; a URL of another origin needs the headers again, with the
        API. If a key created it, it still ends with that key, as long as the key covers its sessions.
      </p>
    </FormDialog>
  );
}

function ReplayWebhook({ of: { id, position }, onClose }: { readonly of: WebhookView; onClose(): void }) {
  const start = useStart('oldest');
  const replay = async () => {
    await connection().client.replayWebhook({ webhookId: id, after: positionOf(start) ?? 'oldest' });
  };
  return (
    <FormDialog title="Deliver events again" verb="Replay" work={replay} onClose={onClose}>
      <p>
        All events after the one that you choose are delivered again, in order, with the same webhook-id. The webhook is
        at {position} now.
      </p>
      <PositionField start={start} choices={['oldest', 'event']} example={position} />
    </FormDialog>
  );
}
