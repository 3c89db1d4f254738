import type { WebhookView } from '@chat-web/protocol';
import { connection } from '../../connection.ts';
import type { LiveSessions } from '../../live/live-sessions.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { subscriptionOf, useWritten, WebhookFields } from './webhook-fields.tsx';

interface ChangeProps {
  readonly of: WebhookView;
  readonly sessions: LiveSessions;
  onClose(): void;
}

/** Changes the subscription of a webhook. */
export function ChangeWebhook({ of: webhook, sessions, onClose }: ChangeProps) {
  const written = useWritten(webhook);
  const change = async () => {
    await connection().client.updateWebhook({ webhookId: webhook.id, ...subscriptionOf(written) });
  };
  return (
    <FormDialog title="Change the webhook" verb="Save" work={change} onClose={onClose}>
      <WebhookFields written={written} sessions={sessions} />
      <p class="soft">
        It keeps its secret and its position. If a key created it, it still ends with that key, as long as the key
        covers its sessions.
      </p>
    </FormDialog>
  );
}
