import { expect, it } from 'vitest';
import { SpoolShare } from './spool-share.ts';

it('lets no more be written at a time than the share of the session, and nothing that never fits', async () => {
  const share = new SpoolShare(10);
  let finish = () => {};
  const first = share.hold(6, () => new Promise<void>((resolve) => (finish = resolve)));
  await expect(share.hold(5, async () => {})).rejects.toMatchObject({ code: 'rate_limited' });
  expect(await share.hold(4, async () => 'fits')).toBe('fits');
  await expect(share.hold(11, async () => {})).rejects.toMatchObject({ code: 'media_unavailable' });
  finish();
  await first;
  await expect(share.hold(10, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await share.hold(10, async () => 'again')).toBe('again');
});
