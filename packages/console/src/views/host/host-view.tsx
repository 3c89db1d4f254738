import type { SessionStatus } from '@chat-web/host';
import type { HostSample, OperationAnswer, operations } from '@chat-web/protocol';
import { Reading, useLoaded } from '../../parts/action.tsx';
import { Chart } from '../../parts/chart.tsx';
import { bytesText, fullTime, percentText } from '../../parts/format.ts';
import { Badge, lookOf } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { hrefTo } from '../../route.ts';
import { ClusterHosts } from './cluster-hosts.tsx';

const READ_EVERY_MS = 15_000;

export function HostView() {
  const loaded = useLoaded('getHost', {}, READ_EVERY_MS);
  return (
    <>
      <div class="title">
        <h1>Host</h1>
      </div>
      <ClusterHosts />
      <Reading of={loaded} what="the last hour">
        {(host) => (
          <>
            <SessionCounts of={host.sessions} />
            <Unsandboxed of={host.unsandboxed} />
            <HostCharts of={host} />
            <HostFacts of={host} />
          </>
        )}
      </Reading>
    </>
  );
}

function SessionCounts({ of: counts }: { readonly of: Host['sessions'] }) {
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

function Unsandboxed({ of }: { readonly of: Host['unsandboxed'] }) {
  if (!of) return null;
  const count = of.sessions === 1 ? '1 session' : `${of.sessions} sessions`;
  return (
    <p class="failure">
      The browser of {count} runs without Chromium's sandbox: {of.reason}. Do not run real accounts like this.
    </p>
  );
}

type Host = OperationAnswer<(typeof operations)['getHost']>;

const STEP_MS = 15_000;

interface Measured {
  readonly title: string;
  readonly of: Exclude<keyof HostSample, 'at'>;
  text(value: number): string;
  /** Absent: there is no limit to compare it with. */
  max?(host: Host): number | undefined;
}

const CHARTS: readonly Measured[] = [
  {
    title: 'Memory available',
    of: 'memoryAvailableBytes',
    text: bytesText,
    max: ({ memoryTotalBytes }) => memoryTotalBytes,
  },
  { title: 'Memory of all sessions', of: 'sessionsBytes', text: bytesText },
  { title: 'Memory of the gateway', of: 'gatewayBytes', text: bytesText },
  { title: 'Disk free', of: 'diskFreeBytes', text: bytesText, max: ({ diskTotalBytes }) => diskTotalBytes },
  { title: 'Journal', of: 'journalBytes', text: bytesText, max: ({ journalMaxBytes }) => journalMaxBytes },
  { title: 'Event loop of the gateway, busy', of: 'loopUtilization', text: percentText, max: () => 1 },
  { title: 'CPU of the gateway, of one core', of: 'cpuShare', text: percentText, max: () => 1 },
  { title: 'Sessions waiting to start', of: 'startsWaiting', text: String },
  { title: 'Sessions starting', of: 'startsBooting', text: String },
  { title: 'Event streams', of: 'streamsOpen', text: String },
];

function HostCharts({ of: host }: { readonly of: Host }) {
  const until = Date.parse(host.at);
  return (
    <section aria-labelledby="charts">
      <h2 id="charts">The last hour</h2>
      <p class="soft">
        Measured every 15 s since the gateway started, <Time at={host.startedAt} />.
      </p>
      <div class="charts">
        {CHARTS.map(({ title, of, text, max }) => (
          <Chart
            key={of}
            title={title}
            points={host.samples.flatMap((sample) => {
              const { [of]: value, at } = sample;
              return value === undefined ? [] : [{ at: Date.parse(at), value }];
            })}
            stepMs={STEP_MS}
            until={until}
            text={text}
            max={max?.(host)}
          />
        ))}
      </div>
    </section>
  );
}

function HostFacts({ of }: { readonly of: Host }) {
  const { version, startedAt, memoryTotalBytes, diskTotalBytes, journalMaxBytes } = of;
  return (
    <section aria-labelledby="facts">
      <h2 id="facts">Limits</h2>
      <dl class="facts">
        <dt>Gateway</dt>
        <dd>
          version {version}, started {fullTime(Date.parse(startedAt))}
        </dd>
        <dt>Memory</dt>
        <dd>{bytesText(memoryTotalBytes)}</dd>
        <dt>Disk of the data folder</dt>
        <dd>{diskTotalBytes === undefined ? 'could not be read' : bytesText(diskTotalBytes)}</dd>
        <dt>Journal</dt>
        <dd>at most {bytesText(journalMaxBytes)} (CHAT_WEB_JOURNAL_MAX_MB)</dd>
      </dl>
    </section>
  );
}
