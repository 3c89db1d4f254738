import { expect, it } from 'vitest';
import { SessionStats } from './session-stats.ts';

it('the page of a run is not that of the next, and is still there to compare with', () => {
  const stats = new SessionStats();
  const page = { version: '2.1', degraded: [] };
  stats.runBegins();
  expect(stats.lastPage).toBeUndefined();
  stats.page = page;
  stats.runBegins();
  expect(stats.page).toBeUndefined();
  stats.runBegins(); // A start that failed before it saw a page.
  expect(stats.lastPage).toBe(page);
  stats.page = { version: '2.2', degraded: [] };
  expect(stats.lastPage?.version).toBe('2.2');
});
