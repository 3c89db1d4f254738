import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { errorText } from '@chat-web/protocol';
import { type DestinationStream, pino } from 'pino';
import type { Log } from '../log.ts';
import { LineBudget, perMinute } from './line-budget.ts';

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

/** Lines of what has changed nothing, by somebody: those without a right token are one together. */
const NOBODYS_LINES_PER_MINUTE = 60;
const LINES_PER_MINUTE = 600;
/** More than there can be keys. */
const MOST_CALLERS = 1_000;

/** The record of who did what: JSON lines with `audit: true`, in a file of their own or in the normal log. */
export class Audit {
  readonly #lines: pino.Logger;
  readonly #file: AuditFile | undefined;
  readonly #budgets = new Map<string, LineBudget>();

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

  /** Whatever may have changed something is told; of the rest, so much of each caller. */
  write(entry: AuditEntry, { mayHaveChanged }: { readonly mayHaveChanged: boolean }): void {
    const skipped = mayHaveChanged ? 0 : this.#budgetOf(entry.who).take();
    if (skipped !== undefined) this.#lines.info({ ...entry, ...(skipped ? { skipped } : {}) }, 'audit');
  }

  #budgetOf(who: string): LineBudget {
    const known = this.#budgets.get(who);
    if (known) return known;
    if (this.#budgets.size >= MOST_CALLERS) this.#budgets.clear();
    const budget = new LineBudget(perMinute(who === 'nobody' ? NOBODYS_LINES_PER_MINUTE : LINES_PER_MINUTE));
    this.#budgets.set(who, budget);
    return budget;
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
    this.#log.error(`CHAT_WEB_AUDIT_FILE cannot be written, its lines come here meanwhile: ${errorText(error)}`);
  }
}
