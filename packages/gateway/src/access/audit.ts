import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { errorText, MINUTE_MS } from '@chat-web/protocol';
import { type DestinationStream, pino } from 'pino';
import { LineBudget, perMinute } from '../line-budget.ts';
import type { Log } from '../log.ts';

/** One audited request. Never contains a body, a token or the id of a chat or message. */
export interface AuditEntry {
  /** A key's id, `token` for the operator, `open` if no token is required, `nobody` if the credentials were invalid. */
  readonly who: string;
  readonly address: string | undefined;
  readonly operation: string;
  /** The tool that an agent has called. */
  readonly tool: string | undefined;
  readonly session: string | undefined;
  readonly key: string | undefined;
  /** The webhook that was created, changed, used or deleted. */
  readonly webhook: string | undefined;
  readonly status: number;
  readonly code: string | undefined;
  readonly request: string | undefined;
  readonly ms: number;
}

/** Line budgets of one caller, for requests that changed nothing. */
interface CallerBudgets {
  readonly shown: LineBudget;
  readonly refused: LineBudget;
  /** Logs the number of skipped lines unless an earlier line did. */
  timer: NodeJS.Timeout | undefined;
}

/** Line limits for requests that changed nothing; all callers without valid credentials share one. */
const UNAUTHENTICATED_LINES_PER_MINUTE = 60;
const LINES_PER_MINUTE = 600;
/** More than the maximum number of keys. Budgets dropped from the map still log their skipped count. */
const MAX_CALLERS = 1_000;

/** The audit log: JSON lines with `audit: true`, in their own file or in the normal log. */
export class Audit {
  readonly #lines: pino.Logger;
  readonly #file: AuditFile | undefined;
  readonly #budgets = new Map<string, CallerBudgets>();

  /** `normal`: the destination of the normal log, used without a `path` or while that file cannot be written. */
  constructor(path: string | undefined, normal: DestinationStream, log: Log) {
    this.#file = path === undefined ? undefined : new AuditFile(path, normal, log);
    // A separate logger: audit lines do not depend on the log level.
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
   * Requests that may have changed something are always written. Other requests are limited per caller, with separate
   * budgets for refused and successful ones. `skipped` in the caller's next line, or in a line of its own after a
   * minute, counts the lines left out.
   */
  write(entry: AuditEntry, { mayHaveChanged }: { readonly mayHaveChanged: boolean }): void {
    const budgets = this.#budgetsOf(entry.who);
    const [own, other] = entry.status < 400 ? [budgets.shown, budgets.refused] : [budgets.refused, budgets.shown];
    const skippedBefore = mayHaveChanged ? own.drain() : own.take();
    if (skippedBefore !== undefined) {
      const skipped = skippedBefore + other.drain();
      this.#lines.info({ ...entry, ...(skipped ? { skipped } : {}) }, 'audit');
    } else budgets.timer ??= setTimeout(() => this.#logSkipped(entry.who, budgets), MINUTE_MS).unref();
  }

  #logSkipped(who: string, budgets: CallerBudgets): void {
    budgets.timer = undefined;
    const skipped = budgets.shown.drain() + budgets.refused.drain();
    if (skipped > 0) this.#lines.info({ who, skipped }, 'audit');
  }

  #budgetsOf(who: string): CallerBudgets {
    const known = this.#budgets.get(who);
    if (known) return known;
    if (this.#budgets.size >= MAX_CALLERS) this.#budgets.clear();
    const maxLines = who === 'nobody' ? UNAUTHENTICATED_LINES_PER_MINUTE : LINES_PER_MINUTE;
    const budgets: CallerBudgets = {
      shown: new LineBudget(perMinute(maxLines)),
      refused: new LineBudget(perMinute(maxLines)),
      timer: undefined,
    };
    this.#budgets.set(who, budgets);
    return budgets;
  }

  /** Reopens the file after log rotation. Never throws: errors are logged. */
  reopen(): void {
    this.#file?.open();
  }
}

/** Appends lines to a file. If that fails, writes them to the normal log, with one line that says why. */
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

  /** If opening fails, the previous file stays in use. */
  open(): void {
    try {
      // O_NONBLOCK: opening a pipe would otherwise block until it has a reader.
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
