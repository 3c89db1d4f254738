/** The measurements of one side of a comparison, by name. */
export type Figures = Readonly<Record<string, number>>;

/** The goal for a figure, within the same run. */
export interface Goal {
  /** Our figure. */
  readonly figure: string;
  readonly unit: string;
  /** Its limit, from the figures of the bare library. Undefined: there is no goal. */
  readonly limit?: (bare: Figures) => number;
  /** The limit in words. */
  readonly text?: string;
  /** The limit is a minimum, not a maximum. */
  readonly isLeast?: boolean;
}

/** A comparison with the bare library, or with another baseline. */
export interface Benchmark {
  readonly name: string;
  /** The default number of rounds. */
  readonly rounds: number;
  readonly goals: readonly Goal[];
  /** Measures both sides once. `turn`: counted from 0. */
  round(turn: number): Promise<Round>;
}

/** The measurements of both sides in one round. */
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
    goals.map(({ figure, unit, limit, text, isLeast = false }) => {
      const own = ours.map((one) => one[figure] ?? Number.NaN);
      const others = bare.map((one) => one[figure] ?? Number.NaN);
      const ratios = own.map((value, round) => value / (others[round] ?? Number.NaN));
      const most = limit && median(bare.map(limit));
      const isReached = most === undefined || (isLeast ? median(own) >= most : median(own) <= most);
      return [
        `${figure}, ${unit}`,
        {
          ours: spread(own),
          bare: spread(others),
          ratio: spread(ratios),
          goal: text ?? '',
          reached: most === undefined ? '' : isReached ? 'yes' : `no (${short(most)})`,
        },
      ];
    }),
  );
}

/** The median; the lower of two middle values. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;
}

/** The 99th percentile. */
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
