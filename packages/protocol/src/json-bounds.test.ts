import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endOfJsonString, JsonBounds } from './json-bounds.ts';

const LIMITS = { depth: 4, values: 100 };
const check = (text: string) => new JsonBounds(LIMITS, (limit) => new Error(limit)).scan(Buffer.from(text));

describe('a JSON text', () => {
  it('is limited in depth and number of values', () => {
    check('[{"a":[{}]}]');
    expect(() => check('[{"a":[{"b":[]}]}]')).toThrow('depth');
    const many = `[0${',0'.repeat(LIMITS.values - 1)}]`;
    check(many);
    expect(() => check(many.replace('[0', '[0,0'))).toThrow('values');
    check('{"a":[[]],"b":[[]],"c":[[]]}');
  });

  it('may have anything in its strings', () => {
    check(JSON.stringify({ text: `${'[{,'.repeat(LIMITS.values)}\\"`, end: '\\' }));
    expect(() => check(`{"text":"\\\\",${'[],'.repeat(LIMITS.values)}`)).toThrow('values');
  });

  it('with an unterminated string is left to the parser', () => {
    for (const text of ['{"a', '{"a\\', '"', '\\']) check(text);
  });
});

it('the end of a string is found, whatever its length and its escapes', () => {
  const part = fc.oneof(
    fc.constantFrom('"', '\\', '\\"', 'é'),
    fc.nat(200).map((length) => 'x'.repeat(length)),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
      const json = Buffer.from(`${JSON.stringify(parts.join(''))},"next"`);
      const end = endOfJsonString(json, 1);
      expect(JSON.parse(json.subarray(0, end + 1).toString())).toBe(parts.join(''));
    }),
  );
});

it.each([0, 31, 32, 33, 200])(
  'a string that goes on after %i bytes says whether the next byte is escaped',
  (length) => {
    const start = 'x'.repeat(length);
    expect(endOfJsonString(Buffer.from(start), 0)).toBe(length);
    expect(endOfJsonString(Buffer.from(`${start}\\`), 0)).toBe(length + 2);
    expect(endOfJsonString(Buffer.from(`${start}\\\\`), 0)).toBe(length + 2);
  },
);
