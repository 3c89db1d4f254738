import { expect, it } from 'vitest';
import { Vitals } from './vitals.ts';

it('the page of a run is not that of the next, and is still there to compare with', () => {
  const vitals = new Vitals();
  const page = { version: '2.1', degraded: [] };
  vitals.runBegins();
  expect(vitals.lastPage).toBeUndefined();
  vitals.page = page;
  vitals.runBegins();
  expect(vitals.page).toBeUndefined();
  vitals.runBegins(); // A start that failed before it saw a page.
  expect(vitals.lastPage).toBe(page);
  vitals.page = { version: '2.2', degraded: [] };
  expect(vitals.lastPage?.version).toBe('2.2');
});
