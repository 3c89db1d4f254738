/** Messages from a measured server to its parent: its URL, and on each request what it has used so far. */
export interface ProcessUsage {
  readonly userMs: number;
  readonly systemMs: number;
  readonly residentMb: number;
}

const MB = 1_048_576;

/** Reports to the parent that this server listens, and then its usage on each request. */
export function tellUsage(url: string): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    const residentMb = process.memoryUsage.rss() / MB;
    process.send?.({ userMs: user / 1_000, systemMs: system / 1_000, residentMb } satisfies ProcessUsage);
  });
  process.send?.({ url });
}
