import type { SessionStatus } from '@chat-web/host';
import { Badge, lookOf } from '../../parts/status.tsx';
import { hrefTo } from '../../route.ts';
import type { Host } from './host-charts.tsx';

/** The number of sessions by status. */
export function SessionCounts({ of: counts }: { readonly of: Host['sessions'] }) {
  const statuses = (Object.keys(counts) as SessionStatus[]).filter((status) => counts[status] > 0);
  return (
    <section aria-labelledby="counts">
      <h2 id="counts">
        <a href={hrefTo('sessions')}>Sessions</a>
      </h2>
      {statuses.length === 0 ? (
        <p>There is no session yet.</p>
      ) : (
        <ul class="counts">
          {statuses.map((status) => {
            const { word, tone } = lookOf({ status });
            return (
              <li key={status}>
                <Badge tone={tone}>{`${word} ${counts[status]}`}</Badge>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}
