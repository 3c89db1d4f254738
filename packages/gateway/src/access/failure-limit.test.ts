import { describe, expect, it } from 'vitest';
import { FailureLimit } from './failure-limit.ts';

const times = (n: number, work: () => number) => Array.from({ length: n }, work);

describe('FailureLimit', () => {
  it('allows a limited number per minute, then returns the remaining seconds', () => {
    const limit = new FailureLimit(3);
    expect(times(3, () => limit.failed('192.0.2.1', 0))).toEqual([0, 0, 0]);
    expect(limit.failed('192.0.2.1', 0)).toBe(60);
    expect(limit.failed('192.0.2.1', 45_500)).toBe(15);
    expect(limit.failed('192.0.2.2', 45_500)).toBe(0);
    expect(times(4, () => limit.failed('192.0.2.1', 60_000))).toEqual([0, 0, 0, 60]);
  });

  it('has no limit at 0', () => {
    const limit = new FailureLimit(0);
    expect(times(1_000, () => limit.failed('192.0.2.1', 0)).every((seconds) => seconds === 0)).toBe(true);
    expect(limit.size).toBe(0);
  });

  it.each([
    ['an IPv6 network of 64 bits', ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:0DB8:1:2:3::']],
    ['an IPv4 address, however it is written', ['192.0.2.1', '::ffff:192.0.2.1', '::ffff:c000:201']],
    ['a link-local network, whatever the interface', ['fe80::1%eth0', 'fe80::2']],
  ])('counts %s as one', (_, addresses) => {
    const limit = new FailureLimit(1);
    expect(addresses.map((address) => limit.failed(address, 0) > 0)).toEqual(addresses.map((_, n) => n > 0));
  });

  it('counts neighboring networks separately', () => {
    const limit = new FailureLimit(1);
    const addresses = ['2001:db8:1:2::1', '2001:db8:1:3::1', '192.0.2.1', '192.0.2.2', '::192.0.2.3', undefined];
    for (const address of addresses) expect(limit.failed(address, 0)).toBe(0);
  });

  it('keeps a bounded number of networks, each for at most a minute', () => {
    const limit = new FailureLimit(10);
    for (let n = 0; n < 100_000; n += 1)
      limit.failed(`2001:db8:${(n >> 16).toString(16)}:${(n & 0xffff).toString(16)}::1`, 0);
    expect(limit.size).toBeLessThanOrEqual(10_000);
    limit.failed('192.0.2.1', 61_000);
    expect(limit.size).toBe(1);
  });
});
