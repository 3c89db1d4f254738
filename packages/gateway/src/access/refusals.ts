import { LineBudget, perMinute } from '../line-budget.ts';
import type { Log } from '../log.ts';
import { type RefusalKind, refusalKinds } from './refusal.ts';

const LINES_PER_MINUTE = 10;

/** The caller that was refused. */
export interface Refused {
  readonly address: string | undefined;
  /** The key's id, if it has one. */
  readonly key: string | undefined;
}

/** Counts refusals and logs them, with a rate limit. */
export class Refusals {
  readonly #log: Log;
  readonly #kinds = new Map(
    refusalKinds.map((kind) => [kind, { count: 0, budget: new LineBudget(perMinute(LINES_PER_MINUTE)) }]),
  );

  constructor(log: Log) {
    this.#log = log;
  }

  /** Refusals since the start, by kind. */
  counts(): [RefusalKind, number][] {
    return [...this.#kinds].map(([kind, { count }]) => [kind, count]);
  }

  note(kind: RefusalKind, refused: Refused): void {
    const entry = this.#kinds.get(kind);
    if (!entry) return;
    entry.count += 1;
    const skipped = entry.budget.take();
    if (skipped !== undefined)
      this.#log.warn({ refused: kind, ...refused, ...(skipped ? { skipped } : {}) }, 'access refused');
  }
}
