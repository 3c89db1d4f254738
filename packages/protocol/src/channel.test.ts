import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChannelError, decodeMessage, encodeMessage, messageReader } from './channel.ts';
import { MB } from './units.ts';

const bytes = (line: string) => Buffer.from(line);

function sent(message: object): unknown {
  const reader = messageReader();
  reader.feed(encodeMessage(message));
  const line = reader.next();
  expect(reader.next()).toBeUndefined();
  return line && decodeMessage(line);
}

describe('a message', () => {
  it('is received as it was sent, whatever its texts', () => {
    fc.assert(
      fc.property(fc.record({ text: fc.string({ unit: 'binary' }), any: fc.jsonValue({ maxDepth: 2 }) }), (message) => {
        expect(sent(message)).toEqual(JSON.parse(JSON.stringify(message)));
      }),
    );
  });

  it.each(['\u2028\u2029\r\n', '"\\"', '\\', '😀'.repeat(32_768), '\ud800', '[[[{,'.repeat(200_000)])(
    'may have any text (%#)',
    (text) => expect(sent({ text, list: [text] })).toEqual({ text, list: [text] }),
  );

  it('may be a list of 10,000 contacts with long names', () => {
    const contact = {
      id: '12025550101@c.us',
      lid: '100000000000001@lid',
      name: '👩‍👩‍👧‍👦'.repeat(25),
      pushname: '😀'.repeat(25),
    };
    const flags = { isMyContact: true, isWAContact: true, isBusiness: false, isBlocked: false };
    const answer = Array.from({ length: 10_000 }, () => ({ ...contact, number: '12025550101', ...flags }));
    expect(sent({ type: 'answer', callId: 1, answer })).toMatchObject({ answer });
  });

  it('is refused if it is invalid, and never with another error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (garbage) => {
        try {
          decodeMessage(garbage);
        } catch (error) {
          expect(error).toBeInstanceOf(ChannelError);
        }
      }),
      { numRuns: 1_000 },
    );
    for (const line of ['', '{', 'no', '{"a":1}}', "{'a':1}", '\u0000']) {
      expect(() => decodeMessage(bytes(line))).toThrow('that is not JSON');
    }
    expect(() => decodeMessage(Buffer.from([0x22, 0xff, 0x22]))).toThrow('that is not JSON');
  });

  it.each([
    ['nested', '['.repeat(4 * MB), 'levels deep'],
    ['empty lists', `[${'[],'.repeat(4 * MB)}[]]`, 'values'],
    ['empty objects', `[${'{},'.repeat(4 * MB)}{}]`, 'values'],
    ['numbers', `[${'1,'.repeat(6 * MB)}1]`, 'values'],
    ['a string without an end', `"${'\\"'.repeat(MB)}`, 'not JSON'],
    ['too long', `"${'x'.repeat(16 * MB)}"`, '16 MB'],
  ])('of %s is refused before it is built', (_, line, why) => {
    expect(() => decodeMessage(bytes(line))).toThrow(why);
  });

  it('that the other side would refuse is not sent', () => {
    expect(() => encodeMessage({ text: 'x'.repeat(16 * MB) })).toThrow(ChannelError);
    expect(() => encodeMessage({ list: Array(500_000).fill(0) })).toThrow(ChannelError);
  });
});
