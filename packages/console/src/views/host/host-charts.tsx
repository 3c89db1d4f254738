import type { HostSample, OperationAnswer, operations } from '@chat-web/protocol';
import { Chart } from '../../parts/chart.tsx';
import { Time } from '../../parts/time.tsx';
import { bytesText, percentText } from '../../parts/words.ts';

/** The answer of `GET /host`. */
export type Host = OperationAnswer<(typeof operations)['getHost']>;

/** How often the gateway takes a sample. */
const STEP_MS = 15_000;

interface Measured {
  readonly title: string;
  readonly of: Exclude<keyof HostSample, 'at'>;
  text(value: number): string;
  /** Absent: there is no limit to compare it with. */
  most?(host: Host): number | undefined;
}

const CHARTS: readonly Measured[] = [
  {
    ...{ title: 'Memory available', of: 'memoryAvailableBytes', text: bytesText },
    most: ({ memoryTotalBytes }) => memoryTotalBytes,
  },
  { title: 'Memory of all sessions', of: 'sessionsBytes', text: bytesText },
  { title: 'Memory of the gateway', of: 'gatewayBytes', text: bytesText },
  { title: 'Disk free', of: 'diskFreeBytes', text: bytesText, most: ({ diskTotalBytes }) => diskTotalBytes },
  { title: 'Journal', of: 'journalBytes', text: bytesText, most: ({ journalMaxBytes }) => journalMaxBytes },
  { title: 'Event loop of the gateway, busy', of: 'loopUtilization', text: percentText, most: () => 1 },
  { title: 'Processor of the gateway, of one core', of: 'cpuShare', text: percentText, most: () => 1 },
  { title: 'Sessions waiting to start', of: 'startsWaiting', text: String },
  { title: 'Sessions starting', of: 'startsBooting', text: String },
  { title: 'Event streams', of: 'streamsOpen', text: String },
];

/** The measurements of the last hour. */
export function HostCharts({ of: host }: { readonly of: Host }) {
  const until = Date.parse(host.at);
  return (
    <section aria-labelledby="charts">
      <h2 id="charts">The last hour</h2>
      <p class="soft">
        Measured every 15 s since the gateway started, <Time at={host.startedAt} />.
      </p>
      <div class="charts">
        {CHARTS.map(({ title, of, text, most }) => (
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
            most={most?.(host)}
          />
        ))}
      </div>
    </section>
  );
}
