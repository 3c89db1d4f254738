import { expect, it } from 'vitest';
import { withoutNumbers } from './log.ts';

it('phone numbers are redacted, also in ids, and versions of the page are kept', () => {
  const text = 'page 2.3000.1037000001: a dialog stays open: chat with +12025550102 (false_12025550102@c.us_3EB0)';
  expect(withoutNumbers(text)).toBe(
    'page 2.3000.1037000001: a dialog stays open: chat with +<number> (false_<number>@c.us_3EB0)',
  );
});
