import { describe, expect, it } from 'vitest';
import { positionOf, START_POSITIONS, writtenPosition } from './start-position.ts';

describe('the start of the list of events', () => {
  it('is a position of the event routes', () => {
    const now = Date.parse('2026-11-23T08:05:00Z');
    expect(positionOf(START_POSITIONS['5 minutes ago'], now)).toBe('2026-11-23T08:00:00.000Z');
    expect(positionOf(START_POSITIONS.Now, now)).toBeUndefined();
    expect(positionOf(START_POSITIONS['The oldest stored event'], now)).toBe('oldest');
    expect(positionOf({ is: 'after', position: '5f-7' }, now)).toBe('5f-7');
  });

  it.each([
    [' 5f2b9c0d11aa-4711 ', '5f2b9c0d11aa-4711'],
    ['2026-11-23T08:00:00+02:00', '2026-11-23T06:00:00.000Z'],
    ['2026-11', '2026-11-01T00:00:00.000Z'],
    ['yesterday', undefined],
    ['', undefined],
  ])('accepts what a person writes: %j is %j', (written, position) => {
    expect(writtenPosition(written)).toBe(position);
  });
});
