import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText, GatewayError, sessionId, writtenTime } from '@chat-web/protocol';
import * as v from 'valibot';
import { makeFolder } from '../host/make-folder.ts';
import { readOwnText, removeUnfinished, replaceText } from '../host/text-files.ts';
import { Lock } from '../lock.ts';
import type { Log } from '../log.ts';

/** How often a link may have moved. */
export const MAX_GENERATIONS = 2_000;
/** How many records of deleted sessions are kept: the newest. */
export const MAX_GONE = 1_000;
const generation = v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/));

/** Which link of an account a session is, and how often it has moved: see `Lineages`. */
export const lineage = v.strictObject({
  link: generation,
  generations: v.pipe(v.array(v.unknown()), v.minLength(1), v.maxLength(MAX_GENERATIONS), v.array(generation)),
});
export type Lineage = Readonly<v.InferOutput<typeof lineage>>;

/** The record of a session id that has moved at least once. */
const record = v.object({
  /**
   * `here`: it may run here. `moved`: it runs elsewhere, and its folder is kept. `placed`: another host has it until the
   * move is committed. `gone`: it has no folder here.
   */
  place: v.picklist(['here', 'moved', 'placed', 'gone']),
  since: writtenTime,
  ...lineage.entries,
  /** It has not run here since it arrived. */
  isFresh: v.boolean(),
});
type Entry = Readonly<v.InferOutput<typeof record>>;

type LineagesLog = Pick<Log, 'info' | 'warn' | 'error'>;

const ENDING = '.json';
const MAX_BYTES = 262_144;
const GENERATION_BYTES = 8;
const RETRY_AFTER_MS = 10_000;

/**
 * Records which sessions have moved, and their generation: one file per session id. The newest are kept even when the
 * session is deleted.
 *
 * A session's keys change while it runs: a copy of its profile is worthless, and breaks the link, once the session has
 * run elsewhere. A link of an account is therefore counted in generations. A generation begins when the session first
 * runs on a gateway after it arrived or was taken back; an archive lists all of its generations. An archive without the
 * newest generation that this gateway knows is stale.
 */
export class Lineages {
  readonly #dir: string;
  readonly #log: LineagesLog;
  readonly #lock = new Lock();
  readonly #entries = new Map<string, Entry>();
  /** Sessions whose last write failed: after a power failure, it may be on disk nevertheless. */
  readonly #unsure = new Set<string>();
  /** Moved sessions whose files must be written again. */
  readonly #retries = new Set<string>();

  constructor(dir: string, log: LineagesLog) {
    this.#dir = dir;
    this.#log = log;
  }

  /**
   * Reads the files of an earlier gateway. A session whose file is unreadable, since a worker has written to it, counts
   * as moved: it may run elsewhere, and the operator must decide. `hasFolder`: whether a session has one here. Rejects
   * if the folder cannot be used.
   */
  async load(hasFolder: (id: string) => boolean): Promise<void> {
    makeFolder(this.#dir, this.#log);
    await removeUnfinished(this.#dir);
    const files = (await readdir(this.#dir)).filter((file) => file.endsWith(ENDING));
    const ids = files.map((file) => file.slice(0, -ENDING.length)).filter((id) => v.is(sessionId, id));
    const here = new Set(ids.filter(hasFolder));
    for (const id of here) this.#entries.set(id, await this.#read(id));
    const others = ids.filter((id) => !here.has(id));
    if (others.length > MAX_GONE)
      this.#log.warn({ records: others.length, kept: MAX_GONE }, 'too many records of moves');
    for (const id of others.slice(0, MAX_GONE)) this.#entries.set(id, departed(await this.#read(id)));
  }

  async #read(id: string): Promise<Entry> {
    try {
      return v.parse(record, JSON.parse(await readOwnText(this.#pathOf(id), MAX_BYTES)));
    } catch (error) {
      const hint = 'if it does not run elsewhere, take it back';
      this.#log.error({ session: id, error: errorText(error), hint }, 'session counts as moved');
      const since = new Date().toISOString();
      return { place: 'moved', since, link: fresh(), generations: [fresh()], isFresh: false };
    }
  }

  /** Since when the session belongs to another gateway, although it has a folder here; undefined if it does not. */
  movedAt(id: string): Date | undefined {
    const entry = this.#entries.get(id);
    return entry && isElsewhere(entry) ? new Date(entry.since) : undefined;
  }

  /** A move has placed the session here, and is not committed. */
  isPlaced(id: string): boolean {
    return this.#entries.get(id)?.place === 'placed';
  }

  /** The lineage for an archive of a session that is about to leave, or has left. Writes nothing. */
  departing(id: string): Lineage & { readonly since: string } {
    const entry = this.#entries.get(id);
    if (entry && isElsewhere(entry)) return entry;
    const since = new Date().toISOString();
    if (entry?.place !== 'here') return { link: fresh(), generations: [fresh()], since };
    // Even if it never ran here, its copy here counts as a later generation.
    return { ...(entry.isFresh ? grown(entry) : entry), since };
  }

  /** The session must not start here again. Resolves when that is on disk: only then may an archive leave. */
  async moved(id: string, { link, generations, since }: Lineage & { readonly since: string }): Promise<void> {
    if (this.movedAt(id) && !this.#unsure.has(id)) return;
    await this.#write(id, { place: 'moved', since, link, generations, isFresh: false });
  }

  /** The session may start here again, although it may run elsewhere. */
  async takenBack(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry) await this.#write(id, { ...entry, place: 'here', since: new Date().toISOString(), isFresh: true });
  }

  async runs(id: string): Promise<void> {
    if (this.#unsure.has(id)) await this.#lock.run(() => this.#restore(id));
    const entry = this.#entries.get(id);
    // A moved session is never started: this is another link, whose predecessor was wiped just before the disk was
    // full.
    if (entry && isElsewhere(entry)) await this.gone(id);
    if (entry?.place === 'here' && entry.isFresh) await this.#write(id, { ...entry, ...grown(entry), isFresh: false });
  }

  /** The session was imported, and replaces what was here. `place`: see `record`. */
  arrived(id: string, { link, generations }: Lineage, place: 'here' | 'placed' = 'here'): Promise<void> {
    return this.#write(id, { place, since: new Date().toISOString(), link, generations, isFresh: true });
  }

  /** Its folder was removed. Its record is kept until there are too many of later ones. */
  async gone(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (!entry || entry.place === 'gone') return;
    await this.#write(id, { ...departed(entry), place: 'gone', since: new Date().toISOString() });
    await this.#lock.run(() => this.#dropOldest());
  }

  async #dropOldest(): Promise<void> {
    const gone = [...this.#entries].filter(([, { place }]) => place === 'gone');
    gone.sort(([, one], [, other]) => Date.parse(one.since) - Date.parse(other.since));
    for (const [oldest] of gone.slice(0, -MAX_GONE)) {
      this.#entries.delete(oldest);
      await rm(this.#pathOf(oldest), { force: true }).catch(() => {}); // Then it counts again after a restart.
    }
  }

  /**
   * Throws `stale_export` or `session_exists` if an archive must not replace the session here. `isHere`: it has a
   * folder.
   */
  requireNewer(id: string, { link, generations }: Lineage, isHere: boolean): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    if (entry.link !== link) {
      if (!isHere) return; // Another account, or linked again.
      throw new GatewayError('session_exists', `session ${id} was moved away, and had another link: delete it first`);
    }
    const newest = entry.generations.at(-1);
    const isKnown = newest !== undefined && generations.includes(newest);
    if (!isKnown)
      throw new GatewayError('stale_export', `session ${id} has run on this gateway after this archive was made`);
    if (isHere && generations.at(-1) === newest)
      throw new GatewayError(
        'stale_export',
        `this archive is a copy of the moved session ${id}: start it with {"takeBack": true} instead`,
      );
  }

  #write(id: string, entry: Entry): Promise<void> {
    return this.#lock.run(() => this.#writeInTurn(id, entry));
  }

  async #writeInTurn(id: string, entry: Entry): Promise<void> {
    try {
      await replaceText(this.#pathOf(id), JSON.stringify(entry), { durably: true });
    } catch (error) {
      // The new file may be in place, if only the folder could not be synced: the next gateway must not start a session
      // that is away.
      this.#unsure.add(id);
      await this.#restore(id);
      throw error;
    }
    this.#unsure.delete(id);
    this.#entries.set(id, entry);
  }

  /**
   * Replaces a file that may be wrong with the known state. Never rejects: a session that is here starts nevertheless.
   *
   * Not durable, since some folders cannot be synced at all. After a power failure, the file may have the state whose
   * write failed. Then a session that is here counts as moved. Or a moved session starts here, because it was about to
   * be taken back; that is impossible once it has been exported again, since that write is durable.
   */
  async #restore(id: string, { isRetry = false } = {}): Promise<void> {
    const entry = this.#entries.get(id);
    try {
      if (entry) await replaceText(this.#pathOf(id), JSON.stringify(entry));
      else await rm(this.#pathOf(id), { force: true });
      if (isRetry) this.#log.info({ session: id }, 'session stays moved after a restart');
    } catch (error) {
      const about = { session: id, error: errorText(error), hint: 'make the data folder writable before a restart' };
      if (entry?.place === 'moved') this.#restoreLater(id);
      if (isRetry) return;
      if (entry?.place === 'moved') this.#log.error(about, 'moved session may start after a restart');
      else this.#log.warn(about, 'session may count as moved after a restart');
    }
  }

  /** Retries: until it succeeds, the file may say that the session is here, while its archive runs elsewhere. */
  #restoreLater(id: string): void {
    if (this.#retries.has(id)) return;
    this.#retries.add(id);
    const retry = async () => {
      this.#retries.delete(id);
      if (this.#unsure.has(id) && this.movedAt(id)) await this.#restore(id, { isRetry: true });
    };
    setTimeout(() => void this.#lock.run(retry), RETRY_AFTER_MS).unref();
  }

  #pathOf(id: string): string {
    return join(this.#dir, id + ENDING);
  }
}

function isElsewhere({ place }: Entry): boolean {
  return place === 'moved' || place === 'placed';
}

/** Without a folder, only a stale archive must be recognized: the newest generation is enough. */
function departed(entry: Entry): Entry {
  return { ...entry, generations: entry.generations.slice(-1) };
}

function grown({ link, generations }: Lineage): Lineage {
  return { link, generations: [...generations, fresh()].slice(-MAX_GENERATIONS) };
}

function fresh(): string {
  return randomBytes(GENERATION_BYTES).toString('hex');
}
