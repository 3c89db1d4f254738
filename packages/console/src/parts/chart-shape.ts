export interface Point {
  /** Unix ms. */
  readonly at: number;
  readonly value: number;
}

/** The range that a chart shows: times in Unix ms, values from 0 to `top`, and its size in its own units. */
export interface Frame {
  readonly from: number;
  readonly until: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Measurements more than this many usual steps apart have a gap between them. */
const MAX_STEPS = 3;

/** The points within the frame, split where nothing was measured. Oldest first, like the input. */
export function runsOf(points: readonly Point[], { from, until }: Frame, stepMs: number): readonly Point[][] {
  const runs: Point[][] = [];
  for (const point of points) {
    if (point.at < from || point.at > until) continue;
    const before = runs.at(-1)?.at(-1);
    if (before && point.at - before.at <= MAX_STEPS * stepMs) runs.at(-1)?.push(point);
    else runs.push([point]);
  }
  return runs;
}

/**
 * The line through a run, as the data of an SVG path. A single point is a line of zero length, which is drawn as a dot.
 */
export function lineOf(run: readonly Point[], frame: Frame): string {
  const places = run.map((point) => `${xOf(point.at, frame)} ${yOf(point.value, frame)}`);
  return `M${places.join(' L')}${places.length === 1 ? ' h0' : ''}`;
}

export function areaOf(run: readonly Point[], frame: Frame): string {
  const [first, last] = [run[0], run.at(-1)];
  if (!first || !last) return '';
  return `${lineOf(run, frame)} V${frame.height} H${xOf(first.at, frame)} Z`;
}

export function xOf(at: number, { from, until, width }: Frame): string {
  return (((at - from) / Math.max(until - from, 1)) * width).toFixed(1);
}

function yOf(value: number, { top, height }: Frame): string {
  return (height - Math.min(value / top, 1) * height).toFixed(1);
}

/** The measurement nearest to a time; undefined if there was none. */
export function pointAt(points: readonly Point[], at: number, stepMs: number): Point | undefined {
  const near = points.filter((point) => Math.abs(point.at - at) <= stepMs);
  return near.sort((a, b) => Math.abs(a.at - at) - Math.abs(b.at - at))[0];
}
