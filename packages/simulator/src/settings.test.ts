import { expect, it } from 'vitest';
import { Settings } from './settings.ts';

it('uploads that were refused are not refused again after a change of another setting', () => {
  const settings = new Settings({ refusedUploads: 2 });
  settings.current.refusedUploads -= 1;
  settings.change({ ackDelayMs: 5 });
  expect(settings.current.refusedUploads).toBe(1);
  settings.change({ refusedUploads: 3 });
  expect(settings.current.refusedUploads).toBe(3);
});
