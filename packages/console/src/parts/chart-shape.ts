/** A measurement. */
export interface Point {
  /** Unix ms. */
  readonly at: number;
  readonly value: number;
}

/** The part of the plane that a chart shows: times in Unix ms, values from 0 to `top`, and its size in its own units. */
export interface Frame {
  readonly from: number;
  readonly until: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Measurements that are further apart than this many usual steps have a gap between them. */
const MOST_STEPS = 3;

/** The points that are within the frame, in portions between which nothing was measured. Oldest first, as they are given. */
export function runsOf(points: readonly Point[], { from, until }: Frame, stepMs: number): readonly Point[][] {
  const runs: Point[][] = [];
  for (const point of points) {
    if (point.at < from || point.at > until) continue;
    const before = runs.at(-1)?.at(-1);
    if (before && point.at - before.at <= MOST_STEPS * stepMs) runs.at(-1)?.push(point);
    else runs.push([point]);
  }
  return runs;
}

/** The line through a portion, as the data of an SVG path. A single point is a line of no length, which is drawn as a dot. */
export function lineOf(run: readonly Point[], frame: Frame): string {
  const places = run.map((point) => `${xOf(point.at, frame)} ${yOf(point.value, frame)}`);
  return `M${places.join(' L')}${places.length === 1 ? ' h0' : ''}`;
}

/** The area below that line. */
export function areaOf(run: readonly Point[], frame: Frame): string {
  const [first, last] = [run[0], run.at(-1)];
  if (!first || !last) return '';
  return `${lineOf(run, frame)} V${frame.height} H${xOf(first.at, frame)} Z`;
}

/** Where a time is. */
export function xOf(at: number, { from, until, width }: Frame): string {
  return (((at - from) / Math.max(until - from, 1)) * width).toFixed(1);
}

function yOf(value: number, { top, height }: Frame): string {
  return (height - Math.min(value / top, 1) * height).toFixed(1);
}

/** The measurement of a time; undefined if nothing was measured then. */
export function pointAt(points: readonly Point[], at: number, stepMs: number): Point | undefined {
  const near = points.filter((point) => Math.abs(point.at - at) <= stepMs);
  return near.sort((a, b) => Math.abs(a.at - at) - Math.abs(b.at - at))[0];
}
