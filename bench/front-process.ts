/** What a measured server tells its parent: its URL, and on each message the processor time that it has used so far. */
export interface ProcessorTime {
  readonly userMs: number;
  readonly systemMs: number;
}

/** Tells the parent that this server listens, and from then on its processor time whenever it is asked. */
export function tellProcessorTime(url: string): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ userMs: user / 1_000, systemMs: system / 1_000 } satisfies ProcessorTime);
  });
  process.send?.({ url });
}
