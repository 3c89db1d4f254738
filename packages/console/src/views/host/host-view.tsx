import { connection } from '../../connection.ts';
import { useLoaded } from '../../parts/action.tsx';
import { Reading } from '../../parts/reading.tsx';
import { HostCharts } from './host-charts.tsx';
import { HostFacts } from './host-facts.tsx';
import { SessionCounts } from './session-counts.tsx';

const READ_EVERY_MS = 15_000;

/** The host and the gateway: their resources, and the use of the last hour. */
export function HostView() {
  const loaded = useLoaded((signal) => connection().client.getHost({}, { signal, retries: 0 }), {
    everyMs: READ_EVERY_MS,
  });
  return (
    <>
      <div class="title">
        <h1>Host</h1>
      </div>
      <Reading of={loaded} what="the last hour">
        {(host) => (
          <>
            <SessionCounts of={host.sessions} />
            <HostCharts of={host} />
            <HostFacts of={host} />
          </>
        )}
      </Reading>
    </>
  );
}
