import { setImmediate as nextTurn } from 'node:timers/promises';
import { sessionId } from '@chat-web/protocol';
import * as v from 'valibot';
import type { Log } from '../log.ts';
import { profileOf } from './browsers.ts';
import { argsOf, processIds, userOf } from './processes.ts';

const LOOK_EVERY_MS = 5_000;
const LINE_EVERY_MS = 60_000;
const SLICE = 64;
/** Browsers name their profile near the beginning; a command line may have megabytes. */
const MOST_BYTES = 4_096;

/** A process of another user that names the profile of a session. */
interface Stranger {
  readonly pid: number;
  readonly user: number;
  readonly session: string;
}

/**
 * Reports processes of other users that name the profile of a session: they are left alone and stop nothing, but an
 * operator wants to know. At most one line a minute, and one for each process, however many there are.
 */
export class StrangerWatch {
  readonly #sessionsDir: string;
  readonly #log: Pick<Log, 'warn'>;
  #reported: ReadonlySet<number> = new Set();
  #mayLookAt = 0;
  #mayReportAt = 0;
  #next: NodeJS.Timeout | undefined;

  constructor(sessionsDir: string, log: Pick<Log, 'warn'>) {
    this.#sessionsDir = sessionsDir;
    this.#log = log;
  }

  /** A session starts: looks now, or within 5 s where somebody has just looked. */
  look(): void {
    const waitMs = this.#mayLookAt - performance.now();
    if (waitMs <= 0) void this.#look();
    else this.#lookIn(waitMs);
  }

  #lookIn(waitMs: number): void {
    this.#next ??= setTimeout(() => void this.#look(), waitMs).unref();
  }

  async #look(): Promise<void> {
    clearTimeout(this.#next);
    this.#next = undefined;
    this.#mayLookAt = performance.now() + LOOK_EVERY_MS;
    const strangers = await this.#find();
    const [first, ...others] = strangers.filter(({ pid }) => !this.#reported.has(pid));
    if (!first) return;
    const waitMs = this.#mayReportAt - performance.now();
    if (waitMs > 0) {
      this.#lookIn(waitMs);
      return;
    }
    this.#mayReportAt = performance.now() + LINE_EVERY_MS;
    this.#reported = new Set(strangers.map(({ pid }) => pid));
    this.#log.warn(
      { ...first, others: others.length, hint: 'it is left alone' },
      'process of another user names the profile',
    );
  }

  async #find(): Promise<Stranger[]> {
    const found: Stranger[] = [];
    const us = process.geteuid?.();
    for (const [at, pid] of processIds().entries()) {
      if (at % SLICE === SLICE - 1) await nextTurn();
      const user = userOf(pid);
      if (user === undefined || user === us) continue;
      const session = this.#sessionOf(profileOf(argsOf(pid, MOST_BYTES)) ?? '');
      if (session !== undefined) found.push({ pid, user, session });
    }
    return found;
  }

  /** The session that a profile belongs to: what a stranger wrote is not repeated unless it is an id. */
  #sessionOf(profile: string): string | undefined {
    const id = profile.startsWith(`${this.#sessionsDir}/`) && profile.slice(this.#sessionsDir.length + 1).split('/')[0];
    return v.is(sessionId, id) ? id : undefined;
  }
}
