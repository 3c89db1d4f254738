import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineReader, LineTooLongError } from './line-reader.ts';

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8');

function read(reader: LineReader, chunks: readonly Uint8Array[]): string[] {
  const lines: string[] = [];
  for (const chunk of chunks) {
    reader.feed(chunk);
    for (let line = reader.next(); line; line = reader.next()) lines.push(text(line));
  }
  return lines;
}

/** Bytes, split at any point, also within a character. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
}

const line = fc.string({ unit: 'binary', maxLength: 40 }).map((any) => any.replaceAll('\n', ' '));

describe('lines', () => {
  it('are the same however the bytes are split, and an unterminated one is not a line', () => {
    fc.assert(
      fc.property(
        fc.array(line),
        fc.string().map((any) => any.replaceAll('\n', '')),
        fc.array(fc.nat()),
        (lines, rest, places) => {
          const bytes = Buffer.from(`${lines.map((one) => `${one}\n`).join('')}${rest}`);
          expect(read(new LineReader({ maxBytes: 1_000 }), cut(bytes, places))).toEqual(lines);
        },
      ),
    );
  });

  it('may have exactly the maximum length: one byte more throws, or is cut off', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 0, max: 400 }),
        fc.array(fc.nat()),
        (max, length, places) => {
          const chunks = cut(Buffer.from(`${'x'.repeat(length)}\nafter\n`.slice(0, -1 - Math.max(0, 5 - max))), places);
          const reading = () => read(new LineReader({ maxBytes: max }), chunks)[0];
          if (length > max) expect(reading).toThrow(LineTooLongError);
          else expect(reading()).toBe('x'.repeat(length));
          expect(read(new LineReader({ maxBytes: max, cut: true }), chunks)[0]).toBe('x'.repeat(Math.min(length, max)));
        },
      ),
    );
  });

  it('without an end are refused as soon as they are too long', () => {
    const reader = new LineReader({ maxBytes: 1_000 });
    const piece = Buffer.alloc(100, 'x');
    for (let sent = 0; sent < 10; sent += 1) read(reader, [piece]);
    expect(() => read(reader, [piece])).toThrow(LineTooLongError);
  });

  it('that arrive byte by byte are not copied again each time', () => {
    const byte = Buffer.from('x');
    const costOf = (bytes: number) => {
      const reader = new LineReader({ maxBytes: bytes });
      const before = process.cpuUsage();
      for (let sent = 0; sent < bytes; sent += 1) {
        reader.feed(byte);
        reader.next();
      }
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const few = Math.max(costOf(200_000), costOf(200_000), 10_000);
    expect(costOf(2_000_000)).toBeLessThan(40 * few); // Ten times as many: quadratic would take 100 times as long.
  });
});
