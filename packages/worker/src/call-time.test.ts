import { GatewayError } from '@chat-web/protocol';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { CallTime } from './call-time.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));

describe('the steps of a call', () => {
  it('get their share, and in total less than the time limit of the operation', () => {
    const time = new CallTime(120_000, true);
    expect(time.step('check')).toBe(10_000);
    vi.advanceTimersByTime(50_000);
    expect(time.rest('send')).toBe(57_000);
    expect(time.step('fileStatus')).toBe(66_000); // A second before the call that it is a part of.
    vi.advanceTimersByTime(57_000);
    expect(time.step('conversion')).toBe(9_000);
    expect(time.rest()).toBe(10_000);
  });

  it('that wait for the page take no longer in a longer operation', () => {
    for (const limitMs of [60_000, 120_000]) {
      const time = new CallTime(limitMs, false);
      expect([time.step('members'), time.step('settle')]).toEqual([8_000, 5_000]);
    }
  });

  it('do not start without time for the later steps', () => {
    const time = new CallTime(24_000, true);
    vi.advanceTimersByTime(17_500);
    expect(time.step('settle')).toBe(2_400);
    expect(() => time.step('settle', 'check')).toThrow(GatewayError);
    vi.advanceTimersByTime(3_000);
    expect(() => time.step('settle')).toThrow('nothing was sent');
    expect(() => time.rest()).toThrow('nothing was sent');
  });

  it('that are too late say that nothing was sent only in a call that sends', () => {
    const [send, read] = [new CallTime(24_000, true), new CallTime(24_000, false)];
    vi.advanceTimersByTime(23_000);
    expect(() => send.rest()).toThrow(/^the time limit of the request was reached; nothing was sent$/);
    expect(() => read.rest()).toThrow(/^the time limit of the request was reached$/);
  });
});
