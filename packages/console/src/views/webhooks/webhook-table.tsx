import type { WebhookView } from '@chat-web/protocol';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { hrefTo } from '../../route.ts';
import { WebhookCause, WebhookStatus } from './webhook-status.tsx';

const TITLES = ['Webhook', 'Status', 'What happened', 'Sessions', 'Waiting', 'Dead letters', 'Last success'];

/** Webhooks, the newest first. */
export function WebhookTable({ webhooks }: { readonly webhooks: readonly WebhookView[] }) {
  return (
    <Table titles={TITLES}>
      {webhooks.toReversed().map((webhook) => (
        <WebhookRow key={webhook.id} of={webhook} />
      ))}
    </Table>
  );
}

function WebhookRow({ of: webhook }: { readonly of: WebhookView }) {
  const { id, url, sessions, waiting, deadLetters, lastSuccessAt } = webhook;
  return (
    <tr>
      <th scope="row">
        <a href={hrefTo('webhooks', id)}>{url}</a> <code class="soft">{id}</code>
      </th>
      <td data-title="Status" class="short">
        <WebhookStatus of={webhook} />
      </td>
      <td data-title="What happened" class="what">
        <WebhookCause of={webhook} />
      </td>
      <td data-title="Sessions">{sessions.join(', ')}</td>
      <td data-title="Waiting" class="short">
        {waiting || ''}
      </td>
      <td data-title="Dead letters" class="short">
        {deadLetters || ''}
      </td>
      <td data-title="Last success" class="short">
        {lastSuccessAt === undefined ? 'none yet' : <Time at={lastSuccessAt} />}
      </td>
    </tr>
  );
}
