/** Messages from a measured server to its parent: its URL, and on each request the processor time used so far. */
export interface ProcessorTime {
  readonly userMs: number;
  readonly systemMs: number;
}

/** Reports to the parent that this server listens, and then its processor time on each request. */
export function tellProcessorTime(url: string): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ userMs: user / 1_000, systemMs: system / 1_000 } satisfies ProcessorTime);
  });
  process.send?.({ url });
}
