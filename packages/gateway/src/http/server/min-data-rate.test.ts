import { SECOND_MS } from '@chat-web/protocol';
import { describe, expect, it } from 'vitest';
import { BODY_RATE, MinDataRate } from './min-data-rate.ts';

/** The result of `check` after each second, in which the sender sends so many bytes. */
function verdicts(bytesASecond: readonly number[]): (string | undefined)[] {
  const rate = new MinDataRate(BODY_RATE);
  return bytesASecond.map((bytes) => {
    rate.waited(SECOND_MS);
    if (bytes > 0) rate.received(bytes);
    return rate.check();
  });
}

const firstProblem = (bytesASecond: readonly number[]) => verdicts(bytesASecond).findIndex(Boolean) + 1;
const seconds = (count: number, bytes: number) => Array.from({ length: count }, () => bytes);

describe('MinDataRate', () => {
  it('rejects less than 1 KB/s over 30 s, and accepts exactly that', () => {
    expect(firstProblem(seconds(300, 1_023))).toBe(30);
    expect(firstProblem(seconds(300, 1_024))).toBe(0);
  });

  it('rejects a sender that becomes slow, in the next window', () => {
    expect(firstProblem([...seconds(30, 50_000), ...seconds(300, 500)])).toBe(60);
  });

  it('rejects a sender that stalls for 10 s', () => {
    expect(firstProblem([...seconds(5, 50_000), ...seconds(20, 0)])).toBe(15);
    expect(firstProblem([...seconds(9, 0), 50_000, ...seconds(9, 0), 50_000])).toBe(0);
  });

  it('ignores time without waiting', () => {
    const rate = new MinDataRate(BODY_RATE);
    for (let n = 0; n < 1_000; n += 1) rate.received(1);
    expect(rate.check()).toBeUndefined();
    expect(rate.maxWaitMs).toBe(BODY_RATE.stallMs);
    rate.waited(4 * SECOND_MS);
    expect(rate.maxWaitMs).toBe(BODY_RATE.stallMs - 4 * SECOND_MS);
  });
});
