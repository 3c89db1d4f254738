import { pace } from './pace.ts';

const PAUSE_MS = 10;

/** Response times of /health in ms, from requests one after the other until the signal; `check` gets each body. */
export async function healthTimes(
  url: string,
  until: AbortSignal,
  check: (body: unknown) => void = () => {},
): Promise<number[]> {
  const times: number[] = [];
  while (!until.aborted) {
    const startedAt = performance.now();
    const body: unknown = await (await fetch(`${url}/health`)).json();
    times.push(performance.now() - startedAt);
    check(body);
    await pace(PAUSE_MS);
  }
  return times;
}
