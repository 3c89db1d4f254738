import { oneLine } from '../command-line.ts';
import { adviceFor, errorLine } from './advice.ts';
import { Interrupted } from './wait.ts';

/** The result of a check. `warn`: works with a limit; `note`: information only; `skip`: not checked. */
export type Result = 'ok' | 'warn' | 'fail' | 'skip' | 'note';

export interface Finding {
  readonly check: string;
  readonly result: Result;
  readonly detail: string;
  readonly todo?: string | undefined;
  readonly ms?: number | undefined;
}

/** The result of a check: a string is the detail of an `ok`. */
export type Outcome = string | (Omit<Finding, 'check' | 'result'> & { readonly result?: Result });

export interface Summary {
  readonly page?: string | undefined;
  /** What this run could not check, and how to check it. */
  readonly notChecked?: string | undefined;
  readonly isInterrupted: boolean;
}

const RESULTS = ['ok', 'warn', 'fail', 'skip', 'note'] as const;
const WORDS: Readonly<Record<Result, string>> = {
  ok: 'ok',
  warn: 'warn',
  fail: 'fail',
  skip: 'skipped',
  note: 'noted',
};
const MIN_PRINTED_MS = 10;
const EXIT = { ok: 0, failed: 1, interrupted: 130 } as const;

/** The findings of a run, reported as they arrive. Phone numbers are shortened in all of them. */
export class Report {
  readonly findings: Finding[] = [];
  readonly #onFinding: (finding: Finding) => void;
  readonly #signal: AbortSignal;

  /** `signal` ends the run: errors of checks after that are not findings. */
  constructor(onFinding: (finding: Finding) => void, signal: AbortSignal) {
    this.#onFinding = onFinding;
    this.#signal = signal;
  }

  add(found: Finding): void {
    const finding = {
      ...found,
      check: compact(found.check),
      detail: compact(shortenNumbers(found.detail)),
      ...(found.todo === undefined ? {} : { todo: compact(shortenNumbers(found.todo)) }),
      ...(found.ms === undefined ? {} : { ms: Math.round(found.ms) }),
    };
    this.findings.push(finding);
    this.#onFinding(finding);
  }

  /**
   * Runs a check and measures its time. An error that it throws is a failure, with advice. True if it did not fail.
   * Rejects if the run was interrupted.
   */
  async check(check: string, work: () => Promise<Outcome> | Outcome): Promise<boolean> {
    const startedAt = performance.now();
    try {
      const outcome = await work();
      const ended = typeof outcome === 'string' ? { detail: outcome } : outcome;
      this.add({ check, result: 'ok', ...since(startedAt), ...ended });
      return ended.result !== 'fail';
    } catch (error) {
      if (this.#signal.aborted) throw new Interrupted('interrupted', { cause: error });
      this.add({ check, result: 'fail', detail: errorLine(error), todo: adviceFor(error), ...since(startedAt) });
      return false;
    }
  }

  get counts(): Record<Result, number> {
    const entries = RESULTS.map((result) => [result, this.findings.filter((one) => one.result === result).length]);
    return Object.fromEntries(entries) as Record<Result, number>;
  }

  exitCode(isInterrupted: boolean): number {
    if (isInterrupted) return EXIT.interrupted;
    return this.counts.fail > 0 ? EXIT.failed : EXIT.ok;
  }

  summaryText({ page, notChecked, isInterrupted }: Summary): string {
    const { counts } = this;
    const parts = RESULTS.filter((result) => counts[result] > 0).map((result) => `${counts[result]} ${WORDS[result]}`);
    const seen = page === undefined ? '' : ` Page ${oneLine(compact(page))}.`;
    const lines = [
      `${parts.join(', ') || 'nothing checked'}.${seen} ${this.#next(isInterrupted, notChecked !== undefined)}`,
    ];
    return `\n${[...(notChecked ? [notChecked] : []), ...lines].join('\n')}\n`;
  }

  json({ page, notChecked, isInterrupted }: Summary): string {
    const exitCode = this.exitCode(isInterrupted);
    const { counts, findings } = this;
    const next = this.#next(isInterrupted, notChecked !== undefined);
    return JSON.stringify({
      ok: exitCode === 0,
      exitCode,
      page,
      node: process.version,
      counts,
      findings,
      notChecked,
      next,
    });
  }

  #next(isInterrupted: boolean, isPart: boolean): string {
    if (isInterrupted) return 'Interrupted: everything that was started has been stopped.';
    if (this.counts.fail > 0)
      return 'Next: follow the arrows, and run doctor again. If a failure persists, open an issue with the --json output.';
    const works = isPart ? 'It works so far' : 'It works';
    return this.counts.warn > 0 ? `${works}, within the limits of the warnings.` : `${works}.`;
  }
}

/** Reports the end of a gateway that doctor started: how many of its processes had to be killed. */
export function reportEnded(report: Report, left: number, detail: string): void {
  const todo = "open an issue with the --json output and the gateway's log";
  if (left === 0) report.add({ check: 'ended', result: 'ok', detail });
  else report.add({ check: 'ended', result: 'fail', detail: `${left} processes had to be killed`, todo });
}

/** Prints findings as lines of text, with the advice below, in full once. */
export function textPrinter(write: (text: string) => void): (finding: Finding) => void {
  const printed = new Set<string>();
  return ({ check, result, detail, todo, ms }) => {
    write(`${result.padEnd(6)}${check.padEnd(27)}${timeOf(ms).padStart(8)}  ${detail}`.trimEnd());
    if (todo !== undefined) write(`      → ${printed.has(todo) ? 'as above' : todo}`);
    if (todo !== undefined) printed.add(todo);
  };
}

/** Blanks from a gateway could fill a row of the terminal, so that what follows begins the next one. */
function compact(text: string): string {
  return text.replace(/\s+/g, ' ');
}

function timeOf(ms: number | undefined): string {
  if (ms === undefined) return '';
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

function since(startedAt: number): { ms?: number } {
  const ms = performance.now() - startedAt;
  return ms < MIN_PRINTED_MS ? {} : { ms };
}

/** Shortens what may be a phone number or hidden id, also within message ids; page versions are kept. */
export function shortenNumbers(text: string): string {
  return text.replace(/(?<![\d.])(\+?)(\d{7,})/g, (_, plus: string, digits: string) => {
    return `${plus}${digits.slice(0, 2)}…${digits.slice(-2)}`;
  });
}

const MB = 1_048_576;

export function inMb(bytes: number): string {
  return `${Math.round(bytes / MB)} MB`;
}

export function inSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

/** A share as `3 of 4 (75 %)`. */
export function share(part: number, whole: number): string {
  return whole === 0 ? '0 of 0' : `${part} of ${whole} (${Math.round((part / whole) * 100)} %)`;
}

/** A number with thousands separators, so that it is not mistaken for a phone number. */
export function grouped(number: number): string {
  return Number.isFinite(number) ? number.toLocaleString('en') : 'unlimited';
}
