import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesPattern } from './session-pattern.ts';

describe('matchesPattern', () => {
  it.each([
    ['main', 'main', true],
    ['main', 'Main', false],
    ['main', 'main2', false],
    ['main', 'xmain', false],
    ['*', '', true],
    ['*', 'anything', true],
    ['shop-*', 'shop-1', true],
    ['shop-*', 'shop-', true],
    ['shop-*', 'shop', false],
    ['shop-*', 'workshop-1', false],
    ['*-eu', 'shop-eu', true],
    ['*-eu', 'shop-eu-2', false],
    ['a*b*c', 'aXbYc', true],
    ['a*b*c', 'abc', true],
    ['a*b*c', 'acb', false],
    ['a**b', 'ab', true],
    ['*ab', 'aab', true],
    ['', '', true],
    ['', 'x', false],
    // Special characters of regular expressions are literal.
    ['a.c', 'abc', false],
    ['[a-z]', 'a', false],
    ['(a+)+', 'aaa', false],
  ])('%j matches %j: %s', (pattern, id, fits) => {
    expect(matchesPattern(pattern, id)).toBe(fits);
  });

  it('agrees with the equivalent regular expression', () => {
    const text = (of: string) => fc.string({ unit: fc.constantFrom(...of), maxLength: 12 });
    fc.assert(
      fc.property(text('ab*'), text('ab'), (pattern, id) => {
        expect(matchesPattern(pattern, id)).toBe(new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(id));
      }),
    );
  });

  it('is fast for patterns that make regular expressions hang', () => {
    const before = process.cpuUsage();
    for (let n = 0; n < 10_000; n += 1) expect(matchesPattern(`${'*a'.repeat(31)}*b`, 'a'.repeat(64))).toBe(false);
    // 4,096 steps each at most; the expression takes hours for one.
    expect(process.cpuUsage(before).user).toBeLessThan(10_000_000);
  });
});
