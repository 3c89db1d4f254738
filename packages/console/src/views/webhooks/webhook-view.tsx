import { GatewayError } from '@chat-web/host';
import type { DeadLetter, WebhookView as Webhook, WebhookDelivery } from '@chat-web/protocol';
import { useSignal } from '@preact/signals';
import { connection } from '../../connection.ts';
import type { LiveSessions } from '../../live/live-sessions.ts';
import { Failure, Reading, useAction, useLoaded } from '../../parts/action.tsx';
import { Empty } from '../../parts/empty.tsx';
import { counted } from '../../parts/format.ts';
import { Badge } from '../../parts/status.tsx';
import { type Column, Records } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { hrefTo } from '../../route.ts';
import { WebhookButtons } from './webhook-buttons.tsx';
import { WebhookCause, WebhookStatus } from './webhook-status.tsx';

const READ_EVERY_MS = 3_000;

interface WebhookProps {
  readonly id: string;
  readonly sessions: LiveSessions;
}

export function WebhookView({ id, sessions }: WebhookProps) {
  const loaded = useLoaded('getWebhook', { webhookId: id }, READ_EVERY_MS);
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
            <p>It was deleted, or belongs to sessions that your key does not cover.</p>
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

function WebhookFacts({ of }: { readonly of: Webhook }) {
  const { id, sessions, events, chats, from, headerNames, createdAt, position, waiting, lastSuccessAt, lastFailure } =
    of;
  return (
    <section aria-labelledby="facts">
      <h2 id="facts">Now</h2>
      <dl class="facts">
        <dt>Last success</dt>
        <dd>{lastSuccessAt === undefined ? 'none yet' : <Time at={lastSuccessAt} />}</dd>
        <dt>Last failure</dt>
        <dd>
          {lastFailure ? (
            <>
              <Time at={lastFailure.at} />: {lastFailure.message}
            </>
          ) : (
            'none'
          )}
        </dd>
        <dt>Waiting</dt>
        <dd>{waiting === 0 ? 'nothing' : `an event of ${counted(waiting, 'session')}, for its next attempt`}</dd>
        <dt>Sessions</dt>
        <dd>{sessions.join(', ')}</dd>
        <dt>Events</dt>
        <dd>{events.join(', ')}</dd>
        {chats && (
          <>
            <dt>Chats</dt>
            <dd>{chats.join(', ')}</dd>
          </>
        )}
        {from && (
          <>
            <dt>From</dt>
            <dd>{from}</dd>
          </>
        )}
        {headerNames && (
          <>
            <dt>Headers</dt>
            <dd>{headerNames.join(', ')}</dd>
          </>
        )}
        <dt>Position</dt>
        <dd>
          <code>{position}</code>
        </dd>
        <dt>Created</dt>
        <dd>
          <Time at={createdAt} />
        </dd>
        <dt>Id</dt>
        <dd>
          <code>{id}</code>
        </dd>
      </dl>
    </section>
  );
}

const LETTERS_EVERY_MS = 5_000;
/** The gateway keeps up to 1,000. */
const MAX_SHOWN = 100;

const LETTER_COLUMNS: readonly Column<DeadLetter>[] = [
  { title: 'Given up', kind: 'short', of: ({ at }) => <Time at={at} /> },
  { title: 'Event', of: ({ event }) => event },
  { title: 'Session', of: ({ session }) => session },
  { title: 'Attempts', kind: 'short', of: ({ attempts }) => attempts },
  { title: 'Why', kind: 'what', of: ({ message }) => message },
  { title: 'Id', of: ({ id }) => <code>{id}</code> },
];

function DeadLetters({ webhookId, isDisabled }: { readonly webhookId: string; readonly isDisabled: boolean }) {
  const { client } = connection();
  const loaded = useLoaded('listDeadLetters', { webhookId }, LETTERS_EVERY_MS);
  const result = useSignal('');
  const replay = useAction(async () => {
    const { replaying } = await client.replayDeadLetters({ webhookId });
    result.value = `${counted(replaying, 'event')} being delivered, each once; those that fail again stay here.`;
    await loaded.reload();
  });
  const letters = loaded.value.value?.deadLetters.toReversed() ?? [];
  return (
    <section aria-labelledby="dead-letters">
      <div class="title">
        <h2 id="dead-letters">Dead letters</h2>
        {letters.length > 0 && (
          <button
            type="button"
            disabled={isDisabled}
            aria-disabled={replay.isBusy.value}
            onClick={() => void replay.run()}
          >
            Deliver {letters.length} again
          </button>
        )}
      </div>
      <p role="status">{result.value}</p>
      <Failure error={replay.failure.value} />
      <Reading of={loaded} what="the dead letters">
        {() =>
          letters.length === 0 ? (
            <Empty title="There are no dead letters." />
          ) : (
            <>
              {letters.length > MAX_SHOWN && <p class="soft">The newest {MAX_SHOWN} are shown.</p>}
              <Records columns={LETTER_COLUMNS} rows={letters.slice(0, MAX_SHOWN)} keyOf={({ id }) => id} />
            </>
          )
        }
      </Reading>
    </section>
  );
}

const DELIVERY_COLUMNS: readonly Column<WebhookDelivery>[] = [
  { title: 'When', kind: 'short', of: ({ at }) => <Time at={at} /> },
  {
    title: 'Result',
    kind: 'short',
    of: ({ ok }) => <Badge tone={ok ? 'good' : 'bad'}>{ok ? 'Delivered' : 'Failed'}</Badge>,
  },
  { title: 'Event', of: ({ event }) => event },
  { title: 'Session', of: ({ session }) => session },
  { title: 'Took', kind: 'short', of: ({ ms }) => `${ms} ms` },
  { title: 'Why', of: ({ message }) => message },
  { title: 'Id', of: ({ id }) => <code>{id}</code> },
];

function Deliveries({ webhookId }: { readonly webhookId: string }) {
  const loaded = useLoaded('listDeliveries', { webhookId }, READ_EVERY_MS);
  return (
    <section aria-labelledby="deliveries">
      <div class="title">
        <h2 id="deliveries">Last deliveries</h2>
      </div>
      <Reading of={loaded} what="the deliveries">
        {({ deliveries }) =>
          deliveries.length === 0 ? (
            <Empty title="Nothing was delivered since the gateway started." />
          ) : (
            <Records columns={DELIVERY_COLUMNS} rows={deliveries} keyOf={({ id, at }) => `${id} ${at}`} />
          )
        }
      </Reading>
    </section>
  );
}
