import { expect, it } from 'vitest';
import { SpoolShare } from './spool-share.ts';

const refusal = (code: string) => expect.objectContaining({ code });

it('limits the files of a session at a time, and rejects a file that can never fit', () => {
  const share = new SpoolShare(10);
  const [first, second] = [share.hold(), share.hold()];
  first.add(4);
  first.add(2);
  expect(() => second.add(5)).toThrow(refusal('rate_limited'));
  second.add(4);
  expect(() => first.add(1)).toThrow(refusal('rate_limited'));
  expect(() => share.hold().add(11)).toThrow(refusal('media_unavailable'));
  first.release();
  first.release();
  second.add(6);
  expect(() => second.add(1)).toThrow(refusal('media_unavailable'));
  second.release();
  share.hold().add(10);
});
