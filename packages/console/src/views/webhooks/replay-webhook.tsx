import type { WebhookView } from '@chat-web/protocol';
import { connection } from '../../connection.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { PositionField, positionOf, useStart } from './position-field.tsx';

/** Delivers events again. */
export function ReplayWebhook({ of: { id, position }, onClose }: { readonly of: WebhookView; onClose(): void }) {
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
