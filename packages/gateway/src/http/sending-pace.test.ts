import { describe, expect, it } from 'vitest';
import { PACE, SendingPace } from './sending-pace.ts';

const SECOND = 1_000;

/** What is said after each second of waiting, of which the sender uses each to send so many bytes. */
function verdicts(bytesASecond: readonly number[]): (string | undefined)[] {
  const pace = new SendingPace(PACE);
  return bytesASecond.map((bytes) => {
    pace.waited(SECOND);
    if (bytes > 0) pace.came(bytes);
    return pace.judge();
  });
}

const firstProblem = (bytesASecond: readonly number[]) => verdicts(bytesASecond).findIndex(Boolean) + 1;
const seconds = (count: number, bytes: number) => Array.from({ length: count }, () => bytes);

describe('SendingPace', () => {
  it('cuts off below 1 KB/s over 30 s, and not at that', () => {
    expect(firstProblem(seconds(300, 1_023))).toBe(30);
    expect(firstProblem(seconds(300, 1_024))).toBe(0);
  });

  it('cuts off who becomes slow, in the window after', () => {
    expect(firstProblem([...seconds(30, 50_000), ...seconds(300, 500)])).toBe(60);
  });

  it('cuts off who sends nothing for 10 s', () => {
    expect(firstProblem([...seconds(5, 50_000), ...seconds(20, 0)])).toBe(15);
    expect(firstProblem([...seconds(9, 0), 50_000, ...seconds(9, 0), 50_000])).toBe(0);
  });

  it('holds against nobody the time that nobody waited', () => {
    const pace = new SendingPace(PACE);
    for (let n = 0; n < 1_000; n += 1) pace.came(1);
    expect(pace.judge()).toBeUndefined();
    expect(pace.patienceMs).toBe(PACE.stallMs);
    pace.waited(4 * SECOND);
    expect(pace.patienceMs).toBe(PACE.stallMs - 4 * SECOND);
  });
});
