import { useSignal } from '@preact/signals';
import { areaOf, type Frame, lineOf, type Point, pointAt, runsOf, xOf } from './chart-shape.ts';
import { shortTime } from './format.ts';

interface ChartProps {
  readonly title: string;
  /** Oldest first. */
  readonly points: readonly Point[];
  /** The interval of the measurements. The line has a gap where they are further apart. */
  readonly stepMs: number;
  /** The end of the displayed time, in Unix ms. */
  readonly until: number;
  text(value: number): string;
  /** The top of the chart, unless a value is larger; absent: slightly above the largest value. */
  readonly max?: number | undefined;
}

const HOUR_MS = 3_600_000;
const SIZE = { width: 300, height: 60 };

/**
 * A measurement over the last hour: its newest value, its range, and its line. Pointing at a time, or moving through
 * the times with the arrow keys, shows and announces the value of that time.
 */
export function Chart({ title, points, stepMs, until, text, max }: ChartProps) {
  const chosen = useSignal<number | undefined>(undefined);
  const from = until - HOUR_MS;
  const shown = points.filter(({ at }) => at >= from && at <= until);
  const last = shown.at(-1);
  if (!last) return <NotMeasured title={title} />;
  const values = shown.map(({ value }) => value);
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  const frame = { from, until, top: Math.max(max ?? highest * 1.1, highest, Number.MIN_VALUE), ...SIZE };
  const { value: at } = chosen;
  const found = at === undefined ? last : pointAt(shown, at, stepMs);
  const value = found ? text(found.value) : 'not measured';
  const range = lowest === highest ? `${text(lowest)} throughout` : `${text(lowest)} to ${text(highest)}`;
  const time = at === undefined ? undefined : shortTime(found?.at ?? at, until);
  const sentence = time === undefined ? `${value} now, ${range} in the last hour` : `${value} at ${time}`;
  return (
    <figure class="figure">
      <figcaption>
        {title} <strong>{value}</strong>
      </figcaption>
      <div class="plot">
        <Lines points={shown} frame={frame} stepMs={stepMs} at={at} />
        <input
          type="range"
          aria-label={title}
          aria-valuetext={sentence}
          min={from}
          max={until}
          step={stepMs}
          value={at ?? until}
          onInput={(event) => {
            chosen.value = Number(event.currentTarget.value);
          }}
          onBlur={() => {
            chosen.value = undefined;
          }}
        />
      </div>
      <p class="soft range">
        {range} {time !== undefined && <span>{time}</span>}
      </p>
    </figure>
  );
}

interface LinesProps {
  readonly points: readonly Point[];
  readonly frame: Frame;
  readonly stepMs: number;
  readonly at: number | undefined;
}

function Lines({ points, frame, stepMs, at }: LinesProps) {
  return (
    <svg viewBox={`0 0 ${frame.width} ${frame.height}`} preserveAspectRatio="none" aria-hidden="true">
      {runsOf(points, frame, stepMs).map((run) => (
        <g key={run[0]?.at}>
          <path class="area" d={areaOf(run, frame)} />
          <path class={run.length === 1 ? 'line dot' : 'line'} d={lineOf(run, frame)} />
        </g>
      ))}
      {at !== undefined && <path class="mark" d={`M${xOf(at, frame)} 0 V${frame.height}`} />}
    </svg>
  );
}

function NotMeasured({ title }: { readonly title: string }) {
  return (
    <figure class="figure">
      <figcaption>
        {title} <span class="soft">not measured in this hour</span>
      </figcaption>
      <div class="plot" />
    </figure>
  );
}
