import { GatewayError } from '@chat-web/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { digestsIn } from './digest-field.ts';

const read = (field: string | undefined) => digestsIn('Content-Digest', field);
const base64 = fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString('base64'));

it('the digests in a header are all that are known, in any order and number', () => {
  const key = fc.constantFrom('sha-256', 'sha-512', 'md5', 'unixsum', 'id-sha-256', '*');
  const space = fc.constantFrom('', ' ', '\t', '  ');
  const member = fc.tuple(key, base64, space);
  fc.assert(
    fc.property(fc.array(member, { maxLength: 5 }), (members) => {
      const known = members.flatMap(([algorithm, text]) =>
        algorithm === 'sha-256' || algorithm === 'sha-512' ? [{ algorithm, bytes: Buffer.from(text, 'base64') }] : [],
      );
      const field = members.map(([algorithm, text, spaces]) => `${spaces}${algorithm}=:${text}:${spaces}`).join(',');
      if (known.length > 0) expect(read(field)).toEqual(known);
      else expect(() => read(field)).toThrow(GatewayError);
    }),
  );
  expect(read(undefined)).toEqual([]);
});

it.each([
  ['an upper-case name', 'SHA-256=:AAAA:'],
  ['an upper-case name beside a right one', 'sha-256=:AAAA:, SHA-256=:AAAA:'],
  ['an old form', 'sha-256=AAAA'],
  ['hex', 'sha-256=:é:'],
  ['a parameter', 'sha-256=:AAAA:;x=1'],
  ['a comma at the end', 'sha-256=:AAAA:,'],
  ['no value', 'sha-256'],
  ['nothing', ''],
  ['an unknown algorithm only', 'sha-384=:AAAA:'],
  ['an outdated algorithm only', 'md5=:AAAA:, sha=:AAAA:'],
])('a header that cannot be used is refused: %s', (_, field) => {
  expect(() => read(field)).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      issues: [expect.objectContaining({ path: 'Content-Digest' })],
    }),
  );
});
