import { expect, it } from 'vitest';
import { areaOf, type Frame, lineOf, pointAt, runsOf } from './chart-shape.ts';

const FRAME: Frame = { from: 0, until: 100, top: 10, width: 200, height: 50 };
const points = (...all: [number, number][]) => all.map(([at, value]) => ({ at, value }));

it('draws measurements as one line while they follow each other', () => {
  const [run = [], ...others] = runsOf(points([0, 0], [10, 5], [40, 10]), FRAME, 10);
  expect(others).toEqual([]);
  expect(lineOf(run, FRAME)).toBe('M0.0 50.0 L20.0 25.0 L80.0 0.0');
  expect(areaOf(run, FRAME)).toBe('M0.0 50.0 L20.0 25.0 L80.0 0.0 V50 H0.0 Z');
});

it('leaves a gap where nothing was measured, and draws a single measurement as a dot', () => {
  const runs = runsOf(points([0, 1], [10, 1], [41, 1], [80, 2], [90, 2]), FRAME, 10);
  expect(runs.map((run) => run.map(({ at }) => at))).toEqual([[0, 10], [41], [80, 90]]);
  expect(lineOf(runs[1] ?? [], FRAME)).toBe('M82.0 45.0 h0');
});

it('draws nothing outside its time range, and nothing above its top', () => {
  expect(runsOf(points([-1, 5], [101, 5]), FRAME, 10)).toEqual([]);
  expect(lineOf(points([100, 20]), FRAME)).toBe('M200.0 0.0 h0');
});

it('finds the measurement that is nearest to a time, and none in a gap', () => {
  const all = points([0, 1], [10, 2], [60, 3]);
  expect(pointAt(all, 6, 10)?.value).toBe(2);
  expect(pointAt(all, 4, 10)?.value).toBe(1);
  expect(pointAt(all, 30, 10)).toBeUndefined();
});
