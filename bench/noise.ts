import { createHash } from 'node:crypto';
import { loadavg } from 'node:os';
import { median } from './benchmark.ts';

const BLOCK = Buffer.alloc(1_048_576, 7);
const BLOCKS = 40;

/** Measures how steady the machine is: a fixed piece of work, timed repeatedly between the measurements. */
export class Noise {
  readonly #times: number[] = [];
  readonly #loads: number[] = [];

  /** Runs the piece of work once, for some 50 ms. */
  sample(): void {
    const startedAt = performance.now();
    const hash = createHash('sha256');
    for (let block = 0; block < BLOCKS; block += 1) hash.update(BLOCK);
    hash.digest();
    this.#times.push(performance.now() - startedAt);
    this.#loads.push(loadavg()[0] ?? 0);
  }

  /** A sentence about the reliability of the figures. */
  toString(): string {
    const [least, most] = [Math.min(...this.#times), Math.max(...this.#times)];
    const share = median(this.#times) / least - 1;
    const verdict = share < 0.1 ? 'steady' : share < 0.25 ? 'noisy: trust ratios' : 'very noisy: run it again';
    return `machine: ${verdict}; a fixed piece of work took ${least.toFixed(0)} to ${most.toFixed(0)} ms, median ${median(this.#times).toFixed(0)}; load average up to ${Math.max(...this.#loads).toFixed(1)}`;
  }
}
