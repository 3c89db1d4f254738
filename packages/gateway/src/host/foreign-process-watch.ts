import { setImmediate as nextTurn } from 'node:timers/promises';
import { errorText, sessionId } from '@chat-web/protocol';
import * as v from 'valibot';
import type { Log } from '../log.ts';
import { profileOf } from './browsers.ts';
import { argsOf, processIds, userOf } from './processes.ts';

const SCAN_INTERVAL_MS = 5_000;
const REPORT_INTERVAL_MS = 60_000;
const SLICE = 64;
/** Browsers name their profile near the start; a command line may have megabytes. */
const MAX_BYTES = 4_096;

/** A process of another user that names the profile of a session. */
interface ForeignProcess {
  readonly pid: number;
  readonly user: number;
  readonly session: string;
}

/**
 * Reports processes of other users that name the profile of a session. They are not killed and do not prevent a start,
 * but the operator should know. Logs at most one line per minute, and each process once.
 */
export class ForeignProcessWatch {
  readonly #sessionsDir: string;
  readonly #log: Pick<Log, 'warn'>;
  #reported: ReadonlySet<number> = new Set();
  #nextScanAt = 0;
  #nextReportAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(sessionsDir: string, log: Pick<Log, 'warn'>) {
    this.#sessionsDir = sessionsDir;
    this.#log = log;
  }

  /** Call when a session starts. Scans now, or within 5 s of the last scan. */
  scanSoon(): void {
    const waitMs = this.#nextScanAt - performance.now();
    if (waitMs <= 0) this.#scanNow();
    else this.#scanIn(waitMs);
  }

  #scanIn(waitMs: number): void {
    this.#timer ??= setTimeout(() => this.#scanNow(), waitMs).unref();
  }

  #scanNow(): void {
    this.#scan().catch((error: unknown) => this.#log.warn({ error: errorText(error) }, 'processes not scanned'));
  }

  async #scan(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#nextScanAt = performance.now() + SCAN_INTERVAL_MS;
    const all = await this.#find();
    const [first, ...others] = all.filter(({ pid }) => !this.#reported.has(pid));
    if (!first) return;
    const waitMs = this.#nextReportAt - performance.now();
    if (waitMs > 0) {
      this.#scanIn(waitMs);
      return;
    }
    this.#nextReportAt = performance.now() + REPORT_INTERVAL_MS;
    this.#reported = new Set(all.map(({ pid }) => pid));
    this.#log.warn(
      { ...first, others: others.length, hint: 'it is left alone' },
      'process of another user names the profile',
    );
  }

  async #find(): Promise<ForeignProcess[]> {
    const found: ForeignProcess[] = [];
    const us = process.geteuid?.();
    for (const [at, pid] of processIds().entries()) {
      if (at % SLICE === SLICE - 1) await nextTurn();
      const user = userOf(pid);
      if (user === undefined || user === us) continue;
      const session = this.#sessionOf(profileOf(argsOf(pid, MAX_BYTES)) ?? '');
      if (session !== undefined) found.push({ pid, user, session });
    }
    return found;
  }

  /** The session of a profile; undefined unless it is a valid id, since the command line is arbitrary text. */
  #sessionOf(profile: string): string | undefined {
    const id = profile.startsWith(`${this.#sessionsDir}/`) && profile.slice(this.#sessionsDir.length + 1).split('/')[0];
    return v.is(sessionId, id) ? id : undefined;
  }
}
