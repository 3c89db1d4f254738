import type { OperationAnswer, operations } from '@chat-web/protocol';
import { useSignal } from '@preact/signals';
import { connection } from '../../connection.ts';
import type { LiveSessions } from '../../live/live-sessions.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { PositionField, positionOf, useStart } from './position-field.tsx';
import { subscriptionOf, useWritten, WebhookFields } from './webhook-fields.tsx';

interface NewWebhookProps {
  readonly sessions: LiveSessions;
  onMade(webhook: OperationAnswer<(typeof operations)['createWebhook']>): void;
}

/** A button that asks for the subscription of a webhook, and creates it. */
export function NewWebhook(props: NewWebhookProps) {
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
      <PositionField start={start} choices={['now', 'oldest', 'event']} />
    </FormDialog>
  );
}
