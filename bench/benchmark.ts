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

/** A comparison with the bare library. Both sides run in turns, each in a world of its own. */
export interface Benchmark {
  readonly name: string;
  /** How often each side runs, unless the command line says otherwise. */
  readonly rounds: number;
  readonly goals: readonly Goal[];
  /** The gateway. */
  ours(): Promise<Figures>;
  /** The library alone, or another thing to compare with. */
  bare(): Promise<Figures>;
}

/** What a benchmark measured, in the order of the rounds. */
export interface Measured {
  readonly ours: readonly Figures[];
  readonly bare: readonly Figures[];
}

/** Runs both sides in turns: one begins in even rounds, the other in odd ones. */
export async function run(benchmark: Benchmark, rounds: number, between: () => void = () => {}): Promise<Measured> {
  const measured = { ours: [] as Figures[], bare: [] as Figures[] };
  for (let round = 0; round < rounds; round += 1) {
    const sides = round % 2 === 0 ? (['ours', 'bare'] as const) : (['bare', 'ours'] as const);
    for (const side of sides) {
      between();
      measured[side].push(await benchmark[side]());
    }
  }
  return measured;
}

/** A line of the table: medians, their spread, the ratio round by round, and whether the goal is reached. */
export function tableOf({ goals }: Benchmark, { ours, bare }: Measured): Record<string, Record<string, string>> {
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
  return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;
}

function spread(values: readonly number[]): string {
  const known = values.filter((value) => Number.isFinite(value));
  if (known.length === 0) return '';
  return `${short(median(known))} [${short(Math.min(...known))}–${short(Math.max(...known))}]`;
}

function short(value: number): string {
  return value.toFixed(value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0);
}
