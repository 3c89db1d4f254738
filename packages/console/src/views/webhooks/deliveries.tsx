import type { WebhookDelivery } from '@chat-web/protocol';
import { connection } from '../../connection.ts';
import { useLoaded } from '../../parts/action.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Reading } from '../../parts/reading.tsx';
import { Badge } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';

const READ_EVERY_MS = 3_000;
const TITLES = ['When', 'Result', 'Event', 'Session', 'Took', 'Why', 'Id'];

/** The last attempts to deliver an event, newest first. */
export function Deliveries({ webhookId }: { readonly webhookId: string }) {
  const loaded = useLoaded((signal) => connection().client.listDeliveries({ webhookId }, { signal, retries: 0 }), {
    ...{ key: webhookId, everyMs: READ_EVERY_MS },
  });
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
            <Table titles={TITLES}>
              {deliveries.map((delivery) => (
                <DeliveryRow key={`${delivery.id} ${delivery.at}`} of={delivery} />
              ))}
            </Table>
          )
        }
      </Reading>
    </section>
  );
}

function DeliveryRow({ of: { id, event, session, at, ms, ok, message } }: { readonly of: WebhookDelivery }) {
  return (
    <tr>
      <td data-title="When" class="short">
        <Time at={at} />
      </td>
      <td data-title="Result" class="short">
        <Badge tone={ok ? 'good' : 'bad'}>{ok ? 'Delivered' : 'Failed'}</Badge>
      </td>
      <td data-title="Event">{event}</td>
      <td data-title="Session">{session}</td>
      <td data-title="Took" class="short">
        {ms} ms
      </td>
      <td data-title="Why">{message}</td>
      <td data-title="Id">
        <code>{id}</code>
      </td>
    </tr>
  );
}
