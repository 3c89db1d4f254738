/** Prints a measurement of a story. `subject` names what is measured, in a word or two. */
export function figure(subject: string, text: string): void {
  process.stdout.write(`figure: ${subject}: ${text}\n`);
}

/** Milliseconds as seconds with one decimal, for people. */
export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

/** The value below which that share of the sorted numbers lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/**
 * The bound of a time that is promised for a machine with nothing else to do: five times as long, or exactly that where
 * the story runs alone, as in `npm run test:long`.
 */
export function withRoom(promisedMs: number): number {
  return process.env.TEST_ALONE === 'true' ? promisedMs : 5 * promisedMs;
}
