import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { digestOf, digestOfWritten, tokenHash, writtenToken } from './token.ts';

const hex = (text: string) => createHash('sha256').update(text).digest('hex');

describe('a configured token', () => {
  it('is the token itself or its hash, in any case', () => {
    for (const written of ['sesame', tokenHash('sesame'), tokenHash('sesame').toUpperCase()]) {
      expect(v.is(writtenToken, written)).toBe(true);
      expect(digestOfWritten(written)).toEqual(digestOf('sesame'));
    }
    expect(tokenHash('sesame')).toBe(`sha256:${hex('sesame')}`);
  });

  it.each([
    ['', 'must be printable ASCII without spaces'],
    ['two words', 'must be printable ASCII without spaces'],
    ['sesame\n', 'must be printable ASCII without spaces'],
    ['schlüssel', 'must be printable ASCII without spaces'],
    // As a token in clear, each of these would be readable in the environment.
    ['sha256:', 'must have 64 hexadecimal digits after sha256:'],
    [`sha256:${hex('x').slice(1)}`, 'must have 64 hexadecimal digits after sha256:'],
    [`sha256:${hex('x')}0`, 'must have 64 hexadecimal digits after sha256:'],
    [`SHA256:${hex('x').slice(1)}g`, 'must have 64 hexadecimal digits after sha256:'],
    [`sha256:${hex('')}`, 'is the hash of an empty token: create one with chat-web token'],
    [`sha256:${hex('\n').toUpperCase()}`, 'is the hash of an empty token: create one with chat-web token'],
  ])('is not %j', (written, message) => {
    expect(v.safeParse(writtenToken, written).issues?.map((issue) => issue.message)).toContain(message);
  });
});
