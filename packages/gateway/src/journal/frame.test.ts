import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JournalRecord, KINDS, type Kind, maxBytesOf, readFrame, requireFits, writeFrame } from './frame.ts';

const kinds = Object.keys(KINDS) as Kind[];
const text = (maxLength: number) => fc.string({ unit: 'grapheme', maxLength });
const record: fc.Arbitrary<JournalRecord> = fc.record({
  seq: fc.integer({ min: 1, max: 2 ** 48 - 1 }),
  at: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
  kind: fc.constantFrom(...kinds),
  name: text(20),
  session: text(20),
  key: text(200),
  text: text(2_000),
});

function frameOf(one: JournalRecord): Buffer {
  const buffer = Buffer.alloc(maxBytesOf(one));
  return buffer.subarray(0, writeFrame(buffer, 0, one));
}

function decode(buffer: Buffer, start = 0): JournalRecord | string {
  const frame = readFrame(buffer, start);
  return typeof frame === 'object' ? frame.record() : frame;
}

const sample: JournalRecord = {
  seq: 7,
  at: 1_700_000_000_000,
  kind: 'event',
  name: 'message',
  session: 'main',
  key: 'false_49@c.us_3EB0',
  text: '{"body":"Grüße 👋"}',
};

describe('a frame', () => {
  it('returns the written records in order', () => {
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 5 }), (records) => {
        const buffer = Buffer.concat(records.map(frameOf));
        let start = 0;
        for (const one of records) {
          const frame = readFrame(buffer, start);
          if (typeof frame !== 'object') throw new Error(frame);
          expect(frame.record()).toEqual(one);
          expect([frame.seq, frame.at, frame.kind, frame.session]).toEqual([one.seq, one.at, one.kind, one.session]);
          start = frame.end;
        }
        expect(start).toBe(buffer.length);
      }),
    );
  });

  it('is not read from any part of it', () => {
    const whole = frameOf(sample);
    for (let length = 0; length < whole.length; length += 1) {
      expect(decode(whole.subarray(0, length))).toBe('incomplete');
    }
    for (let start = 1; start < whole.length; start += 1) expect(decode(whole, start)).not.toBeTypeOf('object');
  });

  it('is not read with any bit flipped', () => {
    const whole = frameOf(sample);
    for (let bit = 0; bit < whole.length * 8; bit += 1) {
      const flipped = Buffer.from(whole);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(decode(flipped)).not.toBeTypeOf('object');
    }
  });

  it('refuses a record that does not fit, and names the part', () => {
    expect(() => requireFits({ ...sample, name: 'é'.repeat(128) })).toThrow('name');
    expect(() => requireFits({ ...sample, session: 's'.repeat(256) })).toThrow('session');
    expect(() => requireFits({ ...sample, key: 'k'.repeat(65_536) })).toThrow('key');
    expect(() => requireFits({ ...sample, text: 't'.repeat(9_000_000) })).toThrow('text');
    const longest = { ...sample, name: 'n'.repeat(255), session: 's'.repeat(255), key: 'k'.repeat(65_535) };
    requireFits(longest);
    expect(decode(frameOf(longest))).toEqual(longest);
  });
});
