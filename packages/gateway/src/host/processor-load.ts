import { readText } from './text-files.ts';

/** Processor times of the machine since its boot, in clock ticks. */
interface Times {
  readonly idle: number;
  readonly all: number;
}

export class ProcessorLoad {
  readonly #path: string;
  #last: Times | undefined;

  constructor(path = '/proc/stat') {
    this.#path = path;
  }

  /** The idle share of all cores since the last call, 0 to 1; 1 if it is unknown, or too little time has passed. */
  idleShare(): number {
    const now = timesIn(readText(this.#path) ?? '');
    const last = this.#last;
    this.#last = now;
    if (!now || !last || now.all <= last.all) return 1;
    return Math.max(0, now.idle - last.idle) / (now.all - last.all);
  }
}

/**
 * The first line: user, nice, system, idle, iowait, irq, softirq, steal. Waiting for a disk leaves the processor idle.
 */
function timesIn(stat: string): Times | undefined {
  const ticks = /^cpu +([\d ]+)/.exec(stat)?.[1]?.split(' ').slice(0, 8).map(Number);
  if (!ticks) return undefined;
  return { idle: (ticks[3] ?? 0) + (ticks[4] ?? 0), all: ticks.reduce((sum, one) => sum + one, 0) };
}
