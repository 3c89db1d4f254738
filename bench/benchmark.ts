/** What one side of a comparison measured, by name. */
export type Figures = Readonly<Record<string, number>>;

/** What a figure is to be, in the same run. */
export interface Goal {
  /** The figure of ours. */
  readonly figure: string;
  readonly unit: string;
  /** Its limit, from what the bare library measured. Undefined: there is no goal. */
  readonly limit?: (bare: Figures) => number;
  /** The limit in words. */
  readonly text?: string;
  /** The limit is the least, not the most. */
  readonly isLeast?: boolean;
}

/** A comparison with the bare library, or with another thing that is bare. */
export interface Benchmark {
  readonly name: string;
  /** How many rounds are run, unless the command line says otherwise. */
  readonly rounds: number;
  readonly goals: readonly Goal[];
  /** Measures both sides once. `turn`: counted from 0. */
  round(turn: number): Promise<Round>;
}

/** What both sides measured in one round. */
export interface Round {
  readonly ours: Figures;
  readonly bare: Figures;
}

/** Measures one side after the other, each in a world of its own: one begins in even turns, the other in odd ones. */
export function inTurns(ours: () => Promise<Figures>, bare: () => Promise<Figures>): Benchmark['round'] {
  return async (turn) => {
    if (turn % 2 === 0) return { ours: await ours(), bare: await bare() };
    const first = await bare();
    return { ours: await ours(), bare: first };
  };
}

/** The table: medians, their spread, the ratio round by round, and whether the goal is reached. */
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

/** The middle value; the lower of the two where there are two. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;
}

/** The value that 99 of 100 do not exceed. */
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
