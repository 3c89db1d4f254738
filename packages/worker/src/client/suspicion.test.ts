import { expect, it } from 'vitest';
import { Suspicion } from './suspicion.ts';

const HOUR = 3_600_000;

it('is believed the second time in a row, and not where the opposite was seen meanwhile', () => {
  const suspicion = new Suspicion(2, HOUR);
  expect(suspicion.raise(0)).toBe(false);
  suspicion.clear();
  expect(suspicion.raise(1_000)).toBe(false);
  expect(suspicion.raise(2_000)).toBe(true);
});

it('fades: two chance events days apart are not two in a row', () => {
  const suspicion = new Suspicion(2, HOUR);
  const times = [0, 1, 2, 3].map((day) => suspicion.raise(day * 24 * HOUR));
  expect(times).toEqual([false, false, false, false]);
  expect(suspicion.raise(3 * 24 * HOUR + HOUR)).toBe(true);
});
