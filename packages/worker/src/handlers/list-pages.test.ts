import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CallTime } from '../call-time.ts';
import { ListPages } from './list-pages.ts';

const time = new CallTime(30_000, false);
let rows: { id: string }[];
let reads: number;
let pages: ListPages<{ id: string }>;

beforeEach(() => {
  vi.useFakeTimers();
  rows = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id }));
  reads = 0;
  pages = new ListPages(async () => {
    reads += 1;
    return [...rows];
  });
});
afterEach(() => void vi.useRealTimers());

const get = async (input: { limit?: number; after?: string; search?: string }) =>
  (await pages.get(input, time)).map(({ id }) => id);

it('is whole without a limit, and read each time', async () => {
  expect(await get({})).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(await get({ after: 'c' })).toEqual(['d', 'e']);
  expect(reads).toBe(2);
  expect(vi.getTimerCount()).toBe(0);
});

it('is the same from page to page, although rows move', async () => {
  expect(await get({ limit: 2 })).toEqual(['a', 'b']);
  rows.reverse();
  expect(await get({ limit: 2, after: 'b' })).toEqual(['c', 'd']);
  expect(await get({ limit: 2, after: 'd' })).toEqual(['e']);
  expect(reads).toBe(1);
  expect(vi.getTimerCount()).toBe(0);
});

it('is read again a minute after its last page', async () => {
  await get({ limit: 1 });
  vi.advanceTimersByTime(59_000);
  await get({ limit: 1, after: 'a' });
  vi.advanceTimersByTime(59_000);
  expect(await get({ limit: 1, after: 'b' })).toEqual(['c']);
  expect(reads).toBe(1);
  vi.advanceTimersByTime(61_000);
  rows.splice(1, 1);
  expect(await get({ limit: 1, after: 'c' })).toEqual(['d']);
  expect(reads).toBe(2);
});

it('refuses a row that it does not have, and names the field', async () => {
  await expect(get({ limit: 2, after: 'x' })).rejects.toMatchObject({
    code: 'invalid_request',
    issues: [{ path: 'after' }],
  });
});

it('has only the rows that a search finds, page by page', async () => {
  const contacts = [
    { id: '1', name: 'ANNA Müller' },
    { id: '2', name: 'Bob' },
    { id: '3', pushname: 'hanna' },
    { id: 'anna@lid', isMyContact: true },
  ];
  rows = contacts;
  expect(await get({ search: ' Anna ', limit: 2 })).toEqual(['1', '3']);
  expect(await get({ search: ' Anna ', limit: 2, after: '3' })).toEqual(['anna@lid']);
  expect(await get({ search: 'true' })).toEqual([]);
});
