import { createHash } from 'node:crypto';
import { loadavg } from 'node:os';

export type Figures = Readonly<Record<string, number>>;

export interface Goal {
  readonly figure: string;
  readonly unit: string;
  /** Its limit, from the figures of the bare library. Undefined: there is no goal. */
  readonly limit?: (bare: Figures) => number;
  readonly text?: string;
  /** The limit is a minimum, not a maximum. */
  readonly isMin?: boolean;
}

export interface Benchmark {
  readonly name: string;
  readonly rounds: number;
  readonly goals: readonly Goal[];
  /** Measures both sides once. `turn`: counted from 0. */
  round(turn: number): Promise<Round>;
}

export interface Round {
  readonly ours: Figures;
  readonly bare: Figures;
}

/**
 * Measures the sides one after the other, each in a separate world: one is first in even turns, the other in odd ones.
 */
export function inTurns(ours: () => Promise<Figures>, bare: () => Promise<Figures>): Benchmark['round'] {
  return async (turn) => {
    if (turn % 2 === 0) return { ours: await ours(), bare: await bare() };
    const first = await bare();
    return { ours: await ours(), bare: first };
  };
}

/** The table: medians, their spread, the ratio in each round, and whether the goal is reached. */
export function tableOf({ goals }: Benchmark, rounds: readonly Round[]): Record<string, Record<string, string>> {
  const [ours, bare] = [rounds.map((round) => round.ours), rounds.map((round) => round.bare)];
  return Object.fromEntries(
    goals.map(({ figure, unit, limit, text, isMin = false }) => {
      const own = ours.map((one) => one[figure] ?? Number.NaN);
      const others = bare.map((one) => one[figure] ?? Number.NaN);
      const ratios = own.map((value, round) => value / (others[round] ?? Number.NaN));
      const bound = limit && median(bare.map(limit));
      const isReached = bound === undefined || (isMin ? median(own) >= bound : median(own) <= bound);
      return [
        `${figure}, ${unit}`,
        {
          ours: spread(own),
          bare: spread(others),
          ratio: spread(ratios),
          goal: text ?? '',
          reached: bound === undefined ? '' : isReached ? 'yes' : `no (${short(bound)})`,
        },
      ];
    }),
  );
}

/** The median; the lower of two middle values. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;
}

export function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN;
}

function spread(values: readonly number[]): string {
  const known = values.filter((value) => Number.isFinite(value));
  if (known.length === 0) return '';
  return `${short(median(known))} [${short(Math.min(...known))}–${short(Math.max(...known))}]`;
}

function short(value: number): string {
  return value.toFixed(value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0);
}

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

  toString(): string {
    const [min, max] = [Math.min(...this.#times), Math.max(...this.#times)];
    const share = median(this.#times) / min - 1;
    const verdict = share < 0.1 ? 'steady' : share < 0.25 ? 'noisy: trust ratios' : 'very noisy: run it again';
    return `machine: ${verdict}; a fixed piece of work took ${min.toFixed(0)} to ${max.toFixed(0)} ms, median ${median(this.#times).toFixed(0)}; load average up to ${Math.max(...this.#loads).toFixed(1)}`;
  }
}

/** Sends texts with several in progress at once in each session. Returns the duration in ms. */
export async function burstOf(
  ids: readonly string[],
  count: number,
  inFlight: number,
  send: (id: string, n: number) => Promise<void>,
): Promise<number> {
  const startedAt = performance.now();
  const sender = async (id: string, texts: number[]) => {
    for (let n = texts.pop(); n !== undefined; n = texts.pop()) await send(id, n);
  };
  await Promise.all(
    ids.flatMap((id) => {
      const texts = Array.from({ length: count }, (_, n) => n);
      return Array.from({ length: inFlight }, () => sender(id, texts));
    }),
  );
  return performance.now() - startedAt;
}
