import { beforeEach, expect, it, vi } from 'vitest';
import { freshProgram, stubPage } from '../testing/page-registry.ts';

const LIMIT_MS = 20;
let sync: ReturnType<typeof vi.fn>;
let loadStatuses: typeof import('./status-feed.ts')['loadStatuses'];
freshProgram();
beforeEach(async () => {
  ({ loadStatuses } = await import('./status-feed.ts'));
});

/** A page that loads its statuses with these outcomes, one after the other. */
function page(...outcomes: readonly (() => Promise<unknown>)[]) {
  sync = vi.fn();
  for (const outcome of outcomes) sync.mockImplementationOnce(outcome);
  stubPage({ WAWebCollections: { Status: { sync } } });
}

const fails = () => Promise.reject(new Error('no storage'));
const soon = () => new Promise((resolve) => setTimeout(resolve, 2 * LIMIT_MS));

it('statuses are loaded once, and again after a failure', async () => {
  page(fails, fails, async () => []);
  for (const _ of ['first', 'again']) await expect(loadStatuses(LIMIT_MS)).rejects.toThrow('no storage');
  for (const _ of ['first', 'again']) await loadStatuses(LIMIT_MS);
  expect(sync).toHaveBeenCalledTimes(3);
});

it('callers wait for the same load, which may outlast each of them', async () => {
  page(soon);
  const calls = [1, 2].map(() => loadStatuses(LIMIT_MS));
  for (const call of calls) await expect(call).rejects.toThrow('not loaded its statuses yet');
  await loadStatuses(4 * LIMIT_MS);
  expect(sync).toHaveBeenCalledTimes(1);
});

it('a load that never ends is retried', async () => {
  vi.useFakeTimers();
  page(
    () => new Promise(() => {}),
    async () => [],
  );
  const failed = expect(loadStatuses(LIMIT_MS)).rejects.toThrow('not loaded its statuses yet');
  await vi.advanceTimersByTimeAsync(120_000);
  await failed;
  await loadStatuses(LIMIT_MS);
  expect(sync).toHaveBeenCalledTimes(2);
});

it('a page without the function has nothing to load', async () => {
  stubPage({ WAWebCollections: { Status: {} } });
  await loadStatuses(LIMIT_MS);
});
