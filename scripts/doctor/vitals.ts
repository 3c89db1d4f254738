import type { SessionView } from '@chat-web/protocol';
import type { ReadyOptions } from './ready.ts';
import { inMb, type Outcome, type Report } from './report.ts';
import { eventually, pauseUnlessInterrupted } from './wait.ts';

/** The gateway measures twice a minute. */
const MEASURED_TIMEOUT_MS = 45_000;

export class MemoryWatch {
  readonly #options: ReadyOptions;
  readonly #softBytes: number;
  readonly #readyAt = Date.now();
  readonly #first: Promise<number | undefined>;

  /**
   * `softBytes`: above this a session is restarted when it is idle. `isRestarted`: the gateway's first figure is still
   * from before the restart.
   */
  constructor(options: ReadyOptions, softBytes: number, isRestarted: boolean) {
    this.#options = options;
    this.#softBytes = softBytes;
    this.#first = this.#measure(isRestarted);
    this.#first.catch(() => {}); // Reported by `atReady` and `after`.
  }

  atReady(): Promise<Outcome> {
    return this.#first.then((bytes) => this.#judge(bytes, ''));
  }

  async after(ms: number): Promise<Outcome> {
    await pauseUnlessInterrupted(this.#readyAt + ms - Date.now(), this.#options.signal);
    const [before, now] = [await this.#first, await this.#measure()];
    const change = before === undefined || now === undefined ? '' : `, ${signed(now - before)} since then`;
    return this.#judge(now, change);
  }

  /** `isNew`: the next figure of the gateway, not the current one. */
  async #measure(isNew = false): Promise<number | undefined> {
    const { client, id, signal } = this.#options;
    const measured = async () => memoryBytes(await client.getSessionStatus({ id }));
    const before = isNew ? await measured() : undefined;
    const look = async () => {
      const bytes = await measured();
      return bytes === before ? undefined : bytes;
    };
    return eventually(look, { timeoutMs: MEASURED_TIMEOUT_MS, everyMs: 1_000, signal });
  }

  #judge(bytes: number | undefined, change: string): Outcome {
    if (bytes === undefined) return { result: 'skip', detail: 'the gateway has not measured it yet' };
    const detail = `${inMb(bytes)}${change}; the soft limit is ${inMb(this.#softBytes)}`;
    if (bytes <= this.#softBytes) return { detail };
    const todo = 'nothing for now: the gateway adapts to large accounts; add memory for more sessions';
    return { result: 'warn', detail, todo };
  }
}

/** Whether only doctor restarted the session. */
export function judgeRestarts(before: SessionView, after: SessionView, own: number): Outcome {
  const others = after.restarts - before.restarts - own;
  const detail = `${after.restarts - before.restarts} during the run, ${own} by doctor`;
  if (others <= 0) return detail;
  return { result: 'fail', detail, todo: "find the cause in the gateway's log, and in GET /metrics" };
}

/** Reports memory without a duration: the wait for the gateway's next measurement is meaningless. */
export function reportMemory(report: Report, check: string, work: () => Promise<Outcome>): Promise<boolean> {
  return report.check(check, async () => {
    const outcome = await work();
    return typeof outcome === 'string' ? { detail: outcome, ms: undefined } : { ...outcome, ms: undefined };
  });
}

function memoryBytes({ memory }: SessionView): number | undefined {
  return memory && memory.workerBytes + memory.browserBytes;
}

function signed(bytes: number): string {
  return `${bytes < 0 ? '' : '+'}${inMb(bytes)}`;
}
