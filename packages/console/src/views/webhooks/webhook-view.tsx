import { GatewayError } from '@chat-web/host';
import type { WebhookView as Webhook } from '@chat-web/protocol';
import { connection } from '../../connection.ts';
import type { LiveSessions } from '../../live/live-sessions.ts';
import { useLoaded } from '../../parts/action.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Reading } from '../../parts/reading.tsx';
import { hrefTo } from '../../route.ts';
import { DeadLetters } from './dead-letters.tsx';
import { Deliveries } from './deliveries.tsx';
import { WebhookButtons } from './webhook-buttons.tsx';
import { WebhookFacts } from './webhook-facts.tsx';
import { WebhookCause, WebhookStatus } from './webhook-status.tsx';

const READ_EVERY_MS = 3_000;

interface WebhookProps {
  readonly id: string;
  readonly sessions: LiveSessions;
}

/** One webhook: whether it delivers, its failures, and its actions. */
export function WebhookView({ id, sessions }: WebhookProps) {
  const loaded = useLoaded((signal) => connection().client.getWebhook({ webhookId: id }, { signal, retries: 0 }), {
    ...{ key: id, everyMs: READ_EVERY_MS },
  });
  const { value: failure } = loaded.failure;
  const isGone = failure instanceof GatewayError && failure.code === 'webhook_not_found';
  return (
    <>
      <p class="path">
        <a href={hrefTo('webhooks')}>Webhooks</a>
      </p>
      {isGone ? (
        <>
          <h1>{id}</h1>
          <Empty title="There is no such webhook.">
            <p>It was deleted, or is of sessions that your key does not cover.</p>
          </Empty>
        </>
      ) : (
        <Reading of={loaded} what="the webhook">
          {(webhook) => <Shown of={webhook} sessions={sessions} onDone={() => void loaded.reload()} />}
        </Reading>
      )}
    </>
  );
}

interface ShownProps {
  readonly of: Webhook;
  readonly sessions: LiveSessions;
  onDone(): void;
}

function Shown({ of: webhook, sessions, onDone }: ShownProps) {
  const { id, url, status } = webhook;
  return (
    <>
      <div class="title">
        <h1>{url}</h1>
        <WebhookStatus of={webhook} />
      </div>
      <p>
        <WebhookCause of={webhook} />
      </p>
      {status === 'failing' && (
        <p class="advice">
          Waiting events are delivered once the endpoint answers 2xx within 15 s; those that ran out of attempts are
          kept as dead letters.
        </p>
      )}
      <WebhookButtons of={webhook} sessions={sessions} onDone={onDone} />
      <WebhookFacts of={webhook} />
      <DeadLetters webhookId={id} isDisabled={status === 'disabled'} />
      <Deliveries webhookId={id} />
    </>
  );
}
