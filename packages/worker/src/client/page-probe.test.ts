import { beforeEach, describe, expect, it, vi } from 'vitest';
import { PageProbe } from './page-probe.ts';

describe('the probe of a page', () => {
  beforeEach(() => void vi.useFakeTimers());

  function watch(ask: () => Promise<string>) {
    const answers: string[] = [];
    const frozen: string[] = [];
    const probe = new PageProbe({
      ask,
      onAnswer: (answer) => answers.push(answer),
      onFrozen: (reason) => frozen.push(reason),
    });
    void probe.run();
    return { answers, frozen, probe };
  }

  it('probes every 15 s', async () => {
    const { answers, frozen, probe } = watch(async () => 'here');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(answers).toHaveLength(5);
    expect(frozen).toEqual([]);
    probe.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(answers).toHaveLength(5);
  });

  it('reports an unresponsive page as frozen within 60 s', async () => {
    const { frozen } = watch(() => new Promise(() => {}));
    await vi.advanceTimersByTimeAsync(39_000);
    expect(frozen).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(frozen).toEqual(['the page has not answered 3 probes in 40 s']);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(frozen).toHaveLength(1);
  });

  it('probes at once when the page has news, but at most once a second', async () => {
    const { answers, probe } = watch(async () => 'here');
    await vi.advanceTimersByTimeAsync(5_000);
    probe.hasten();
    await vi.advanceTimersByTimeAsync(0);
    expect(answers).toHaveLength(2);
    for (let times = 0; times < 100; times += 1) {
      probe.hasten();
      await vi.advanceTimersByTimeAsync(30);
    }
    expect(answers.length).toBeGreaterThan(3);
    expect(answers.length).toBeLessThan(7);
    await vi.advanceTimersByTimeAsync(1_000);
    const soFar = answers.length;
    await vi.advanceTimersByTimeAsync(14_000);
    expect(answers.length).toBeLessThanOrEqual(soFar + 1);
    probe.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(answers.length).toBeLessThanOrEqual(soFar + 1);
  });

  it('counts a late answer', async () => {
    const late = () => new Promise<string>((resolve) => setTimeout(() => resolve('late'), 29_000));
    const { answers, frozen, probe } = watch(late);
    await vi.advanceTimersByTimeAsync(300_000);
    expect(frozen).toEqual([]);
    expect(answers.length).toBeGreaterThan(10);
    probe.stop();
  });

  it('counts a refusal as an answer, but not a time-out', async () => {
    const alive = watch(() => Promise.reject(new Error('Execution context was destroyed')));
    const dead = watch(() => Promise.reject(new Error('Runtime.callFunctionOn timed out')));
    await vi.advanceTimersByTimeAsync(120_000);
    expect(alive.frozen).toEqual([]);
    expect(dead.frozen).toHaveLength(1);
    alive.probe.stop();
  });
});
