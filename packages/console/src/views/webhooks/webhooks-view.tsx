import { connection } from '../../connection.ts';
import type { LiveSessions } from '../../live/live-sessions.ts';
import { useLoaded } from '../../parts/action.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Reading } from '../../parts/reading.tsx';
import { showWebhookSecret } from '../../parts/secret.tsx';
import { NewWebhook } from './new-webhook.tsx';
import { WebhookTable } from './webhook-table.tsx';

const READ_EVERY_MS = 5_000;

/** All webhooks that the caller may see, and whether they deliver. */
export function WebhooksView({ sessions }: { readonly sessions: LiveSessions }) {
  const loaded = useLoaded((signal) => connection().client.listWebhooks({}, { signal, retries: 0 }), {
    everyMs: READ_EVERY_MS,
  });
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
            <WebhookTable webhooks={webhooks} />
          )
        }
      </Reading>
    </>
  );
}
