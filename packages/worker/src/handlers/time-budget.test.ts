import { GatewayError } from '@chat-web/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TimeBudget } from './time-budget.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

describe('the steps of an operation', () => {
  it('get the time that they need, and in total less than the time limit of the operation', () => {
    const budget = new TimeBudget(120_000);
    expect(budget.step(10_000)).toBe(10_000);
    vi.advanceTimersByTime(50_000);
    expect(budget.step(80_000, 10_000)).toBe(57_000);
    vi.advanceTimersByTime(57_000);
    expect(budget.step(Number.POSITIVE_INFINITY)).toBe(10_000);
    expect(budget.lastStep()).toBe(10_000);
  });

  it('do not start without time for the later steps', () => {
    const budget = new TimeBudget(20_000);
    vi.advanceTimersByTime(8_000);
    expect(() => budget.step(15_000, 12_000)).toThrow(GatewayError);
    vi.advanceTimersByTime(8_000);
    expect(() => budget.step(15_000)).toThrow('nothing was sent');
    expect(() => budget.lastStep()).toThrow('nothing was sent');
  });
});
