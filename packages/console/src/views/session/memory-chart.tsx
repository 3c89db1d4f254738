import { connection } from '../../connection.ts';
import { useLoaded } from '../../parts/action.tsx';
import { Chart } from '../../parts/chart.tsx';
import { Reading } from '../../parts/reading.tsx';
import { bytesText } from '../../parts/words.ts';

/** The gateway takes at most one sample a minute. */
const STEP_MS = 60_000;

/** The memory of a session over the last hour. */
export function MemoryChart({ id }: { readonly id: string }) {
  const loaded = useLoaded((signal) => connection().client.getSessionMemory({ id }, { signal, retries: 0 }), {
    ...{ key: id, everyMs: STEP_MS },
  });
  return (
    <Reading of={loaded} what="its memory">
      {({ samples }) => (
        <Chart
          title="Memory over the last hour"
          points={samples.map(({ at, workerBytes, browserBytes }) => ({
            at: Date.parse(at),
            value: workerBytes + browserBytes,
          }))}
          stepMs={STEP_MS}
          until={Math.max(Date.now(), Date.parse(samples.at(-1)?.at ?? '') || 0)} // The clocks may differ.
          text={bytesText}
        />
      )}
    </Reading>
  );
}
