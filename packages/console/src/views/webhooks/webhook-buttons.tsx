import type { ChangedWebhook, OperationAnswer, operations, WebhookView } from '@chat-web/protocol';
import { useSignal } from '@preact/signals';
import { connection } from '../../connection.ts';
import type { LiveSessions } from '../../live/live-sessions.ts';
import { Failure, useAction } from '../../parts/action.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { showWebhookSecret } from '../../parts/secret.tsx';
import { shortTime } from '../../parts/words.ts';
import { goTo } from '../../route.ts';
import { ChangeWebhook } from './change-webhook.tsx';
import { ReplayWebhook } from './replay-webhook.tsx';

interface ButtonsProps {
  readonly of: WebhookView;
  readonly sessions: LiveSessions;
  /** The webhook may have changed. */
  onDone(): void;
}

/** The actions for a webhook. */
export function WebhookButtons({ of: webhook, sessions, onDone }: ButtonsProps) {
  const { id, url, status } = webhook;
  const asked = useSignal<'change' | 'rotate' | 'replay' | 'delete' | undefined>(undefined);
  const tested = useSignal('');
  const test = useAction(async () => {
    tested.value = testText(await connection().client.testWebhook({ webhookId: id }));
    onDone();
  });
  const enable = useAction(async () => {
    const { sessions: patterns, events } = webhook;
    await connection().client.updateWebhook({
      webhookId: id,
      url,
      sessions: patterns,
      events: events as ChangedWebhook['events'],
    });
    onDone();
  });
  const close = () => {
    asked.value = undefined;
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
      <button type="button" onClick={() => (asked.value = 'change')}>
        Change …
      </button>
      <button type="button" onClick={() => (asked.value = 'replay')}>
        Replay …
      </button>
      <button type="button" onClick={() => (asked.value = 'rotate')}>
        Rotate the secret …
      </button>
      <button type="button" class="danger" onClick={() => (asked.value = 'delete')}>
        Delete …
      </button>
      <span role="status">{test.isBusy.value ? 'Sending …' : tested.value}</span>
      <Failure error={test.failure.value ?? enable.failure.value} />
      {asked.value === 'change' && <ChangeWebhook of={webhook} sessions={sessions} onClose={close} />}
      {asked.value === 'replay' && <ReplayWebhook of={webhook} onClose={close} />}
      {asked.value === 'rotate' && (
        <FormDialog
          title="Rotate the secret?"
          verb="Rotate"
          work={async () => showWebhookSecret(await connection().client.rotateWebhookSecret({ webhookId: id }))}
          onClose={close}
        >
          <p>The application gets a new one. For 24 hours the current one signs as well.</p>
        </FormDialog>
      )}
      {asked.value === 'delete' && (
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
          <p class="names">Nothing is posted to {url} any more. What waits and its dead letters are lost.</p>
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
