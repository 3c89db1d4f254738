import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { errorText } from '@chat-web/protocol';
import { type DestinationStream, pino } from 'pino';
import { LineBudget, perMinute } from '../line-budget.ts';
import type { Log } from '../log.ts';

/** One thing that somebody did or tried. Never a body, a token or an id of a chat or message. */
export interface AuditEntry {
  /** The id of a key, `token` for the operator's, `open` where none is asked for, `nobody` where it was not right. */
  readonly who: string;
  readonly address: string | undefined;
  readonly operation: string;
  readonly session: string | undefined;
  /** The key that was made or deleted. */
  readonly key: string | undefined;
  readonly status: number;
  readonly code: string | undefined;
  readonly ms: number;
}

/** What somebody may have written of requests that have changed nothing. */
interface CallerBudgets {
  readonly shown: LineBudget;
  readonly refused: LineBudget;
  /** Until it is told how many were left out, where no line comes before. */
  timer: NodeJS.Timeout | undefined;
}

/** Lines of what has changed nothing, by somebody: those without a right token are one together. */
const NOBODYS_LINES_PER_MINUTE = 60;
const LINES_PER_MINUTE = 600;
/** More than there can be keys at a time. Those that go still tell what they have left out. */
const MOST_CALLERS = 1_000;
const MINUTE_MS = 60_000;

/** The record of who did what: JSON lines with `audit: true`, in a file of their own or in the normal log. */
export class Audit {
  readonly #lines: pino.Logger;
  readonly #file: AuditFile | undefined;
  readonly #budgets = new Map<string, CallerBudgets>();

  /** `normal` is where the log goes; so do these lines where there is no file, or while it cannot be written. */
  constructor(path: string | undefined, normal: DestinationStream, log: Log) {
    this.#file = path === undefined ? undefined : new AuditFile(path, normal, log);
    // A logger of its own: what was done is told whatever the level of the log.
    this.#lines = pino(
      {
        base: { audit: true },
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
      },
      this.#file ?? normal,
    );
  }

  /**
   * What may have changed something is always written. Of the rest, each caller has a bounded number of lines; refusals
   * do not take those of what was shown. How many were left out stands in the next line of that caller, or in one of its
   * own at the end of the minute.
   */
  write(entry: AuditEntry, { mayHaveChanged }: { readonly mayHaveChanged: boolean }): void {
    const budgets = this.#budgetsOf(entry.who);
    const [own, other] = entry.status < 400 ? [budgets.shown, budgets.refused] : [budgets.refused, budgets.shown];
    const leftOut = mayHaveChanged ? own.drain() : own.take();
    if (leftOut !== undefined) {
      const skipped = leftOut + other.drain();
      this.#lines.info({ ...entry, ...(skipped ? { skipped } : {}) }, 'audit');
    } else budgets.timer ??= setTimeout(() => this.#tellSkipped(entry.who, budgets), MINUTE_MS).unref();
  }

  #tellSkipped(who: string, budgets: CallerBudgets): void {
    budgets.timer = undefined;
    const skipped = budgets.shown.drain() + budgets.refused.drain();
    if (skipped > 0) this.#lines.info({ who, skipped }, 'audit');
  }

  #budgetsOf(who: string): CallerBudgets {
    const known = this.#budgets.get(who);
    if (known) return known;
    if (this.#budgets.size >= MOST_CALLERS) this.#budgets.clear();
    const most = who === 'nobody' ? NOBODYS_LINES_PER_MINUTE : LINES_PER_MINUTE;
    const budgets: CallerBudgets = {
      shown: new LineBudget(perMinute(most)),
      refused: new LineBudget(perMinute(most)),
      timer: undefined,
    };
    this.#budgets.set(who, budgets);
    return budgets;
  }

  /** Opens the file again, after it was rotated. A problem is a line in the log. Never throws. */
  reopen(): void {
    this.#file?.open();
  }
}

/** Appends lines to a file; what cannot be written there goes to the normal log, and a line says why. */
class AuditFile implements DestinationStream {
  readonly #path: string;
  readonly #normal: DestinationStream;
  readonly #log: Log;
  #fd: number | undefined;
  #isFailing = false;
  #isTorn = false;

  constructor(path: string, normal: DestinationStream, log: Log) {
    this.#path = path;
    this.#normal = normal;
    this.#log = log;
    this.open();
  }

  /** One that cannot be opened leaves the one before as it is. */
  open(): void {
    try {
      // Never waits for somebody to read, as one that is a pipe would have it do.
      const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;
      const fd = openSync(this.#path, flags, 0o600);
      if (this.#fd !== undefined) closeSync(this.#fd);
      this.#fd = fd;
      this.#isTorn = false;
    } catch (error) {
      this.#failed(error);
    }
  }

  write(line: string): void {
    try {
      if (this.#fd === undefined) this.open();
      if (this.#fd === undefined) {
        this.#normal.write(line);
        return;
      }
      const text = Buffer.from(this.#isTorn ? `\n${line}` : line);
      const written = writeSync(this.#fd, text);
      this.#isTorn = written < text.length;
      if (this.#isTorn) throw new Error('no space is left for a whole line');
      this.#isFailing = false;
    } catch (error) {
      this.#failed(error);
      this.#normal.write(line);
    }
  }

  #failed(error: unknown): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    const hint = 'check CHAT_WEB_AUDIT_FILE; audit lines go to the log until it can be written';
    this.#log.error({ error: errorText(error), hint }, 'audit file not written');
  }
}
