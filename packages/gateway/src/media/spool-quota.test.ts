import { expect, it } from 'vitest';
import { SpoolQuota } from './spool-quota.ts';

it('one key with many sessions cannot take the space of all; what it releases, it may take again', () => {
  const quota = new SpoolQuota({ spoolMaxBytes: 1_000, spoolSessionMaxBytes: 200 });
  const files = Array.from({ length: 3 }, (_, n) => quota.reserve(`shop-${n}`, 'a'));
  files[0]?.add(200);
  files[1]?.add(200);
  files[2]?.add(100);
  expect(() => files[2]?.add(1)).toThrow(expect.objectContaining({ code: 'rate_limited' }));
  expect(() => quota.requireRoom('shop-3', 'a')).toThrow(/with this key/);
  quota.reserve('shop-2', 'b').add(100);
  quota.reserve('shop-3').add(200);
  files[0]?.release();
  files[0]?.release();
  expect(quota.bytes).toBe(600);
  files[2]?.add(0);
  quota.reserve('shop-4', 'a').add(200);
  expect(() => quota.requireRoom('shop-0', 'a')).toThrow(/with this key/);
});

it('a session has its quota, even if a key uses all of it', () => {
  const quota = new SpoolQuota({ spoolMaxBytes: 1_000, spoolSessionMaxBytes: 900 });
  const file = quota.reserve('main', 'a');
  file.add(900);
  expect(() => file.add(1)).toThrow(/of session main exceed the quota/);
});

it('open files are limited, too, half of them for one key; a closed one still takes its space', () => {
  const quota = new SpoolQuota({ spoolMaxBytes: 1_000, spoolSessionMaxBytes: 900 }, 4);
  const [first, second] = [quota.reserve('main', 'a'), quota.reserve('main', 'a')];
  first.add(100);
  expect(() => quota.requireRoom('main', 'a')).toThrow(expect.objectContaining({ code: 'rate_limited' }));
  second.add(100); // A file that is being written may grow.
  quota.reserve('main', 'b');
  quota.requireRoom('main', 'b');
  quota.reserve('main');
  expect(() => quota.requireRoom('main')).toThrow(expect.objectContaining({ code: 'insufficient_resources' }));
  first.close();
  first.close();
  quota.requireRoom('main', 'a');
  expect([quota.openFiles, quota.bytes]).toEqual([3, 200]);
  first.release();
  second.release();
  expect([quota.openFiles, quota.bytes]).toEqual([2, 0]);
});
