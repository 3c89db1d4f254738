import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText, GatewayError, type SessionArchive, type TakenArchive } from '@chat-web/protocol';
import type { Requester } from '../access/caller.ts';
import { exceededShare, type Shares } from '../access/shares.ts';
import type { ArrivingMove } from '../cluster/cluster.ts';
import type { Config } from '../config.ts';
import type { EventLog } from '../events/event-log.ts';
import { requireFreeDisk } from '../host/disk.ts';
import { freeProfile, ProfileInUseError } from '../host/profile-lock.ts';
import { removeTree } from '../host/remove-tree.ts';
import { readOwnText } from '../host/text-files.ts';
import type { NewRecord } from '../journal/frame.ts';
import { type Journal, NotStoredError } from '../journal/journal.ts';
import type { Log } from '../log.ts';
import type { Lineages } from '../sessions/lineages.ts';
import type { SavedSessions } from '../sessions/saved-sessions.ts';
import type { Session } from '../sessions/session.ts';
import type { Supervisor } from '../sessions/supervisor.ts';
import { unpackArchive } from './archive-reader.ts';
import { prepareArchive, UnfitProfileError } from './archive-writer.ts';
import { IN_PROFILE, type Manifest, PROFILE } from './manifest.ts';
import { type MovingStates, portionsOf, readState, writeState } from './moving-state.ts';

export interface MoverDependencies {
  readonly config: Pick<Config, 'importMaxBytes' | 'minFreeDiskBytes'>;
  readonly supervisor: Pick<Supervisor, 'forExport' | 'forImport'>;
  readonly saved: SavedSessions;
  readonly lineages: Lineages;
  /** Stores the state of a session that arrives. */
  readonly events: Pick<EventLog, 'isStoring' | 'settled' | 'resetDelivery' | 'imports' | 'storeImported'>;
  readonly journal: Pick<Journal, 'findAll'>;
  /** What the host lacks for another browser. */
  shortage(): Promise<string | undefined>;
  readonly states: MovingStates;
  readonly version: string;
  readonly log: Log;
}

/** A move, as the metrics count it: `failed` is an import that was neither finished nor refused. */
export type Moved = 'exported' | 'imported' | 'refused' | 'failed';

/** The most sessions imported at the same time: each takes disk space, and a slow sender takes it for long. */
const ARRIVALS: Shares = { all: 8, ofKeys: 6, perKey: 2 };
const MAX_ARRIVAL_MS = 2 * 60 * 60_000;
const RETRY_AFTER_SECONDS = 10;
const VERSION_FILE = 'Last Version';
const MAX_VERSION_BYTES = 100;
/** The archive is invalid, or does not fit here: a retry is refused as well. */
const REFUSALS: readonly unknown[] = ['session_exists', 'stale_export', 'invalid_archive', 'body_too_large'];
/** A caller that only reads the manifest closes the stream early: the session may run elsewhere. */
const NOT_SENT_HINT = 'if it has not arrived: export it again, or take it back';
const DISK_ERRORS = ['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS'];

interface Arrival extends Requester {
  /** The size announced in its manifest. */
  bytes: number;
  hasBegun: boolean;
}

export class Mover {
  /** How many sessions have moved, and how many imports were refused or failed. */
  readonly counts: Record<Moved, number> = { exported: 0, imported: 0, refused: 0, failed: 0 };
  readonly #dependencies: MoverDependencies;
  readonly #arriving = new Map<string, Arrival>();

  constructor(dependencies: MoverDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Stops a session for good, and resolves with its archive. Before this resolves, the session is recorded as moved,
   * even across a crash; until then it is unchanged. A session that has moved already is exported again. `confirm`: is
   * called last, and may reject.
   */
  async export(
    id: string,
    { keyId, signal: revoked }: Requester = {},
    confirm: () => Promise<void> = async () => {},
  ): Promise<SessionArchive> {
    const { supervisor, lineages, events, log } = this.#dependencies;
    const session = supervisor.forExport(id);
    this.#requireStorage();
    return session.moveOut(async (signal) => {
      await events.settled();
      this.#requireStorage();
      const archive = await this.#prepare(id, signal, keyId);
      revoked?.throwIfAborted(); // A large profile takes long.
      await confirm();
      const isRepeated = lineages.movedAt(id) !== undefined;
      await this.#stored(() => lineages.moved(id, archive.about));
      if (!isRepeated) this.counts.exported += 1;
      log.info({ session: id, bytes: archive.size, repeated: isRepeated }, 'session exported');
      return { ...archive, bytes: this.#watched(id, archive.bytes) };
    }, revoked);
  }

  /**
   * Checks a whole archive, installs its session, and starts it. Rejects with `session_exists`, `stale_export`,
   * `invalid_archive`, `body_too_large` or 503, or with the error of the stream: nothing has changed then. `move`: it
   * starts only once that is committed.
   */
  async import(id: string, taken: TakenArchive, by: Requester, move?: ArrivingMove): Promise<Session> {
    const arrival = { ...by, bytes: 0, hasBegun: false };
    try {
      const session = await this.#import(id, taken, arrival, move);
      this.counts.imported += 1;
      return session;
    } catch (thrown) {
      const error = asDiskError(thrown);
      const code = error instanceof GatewayError ? error.code : undefined;
      // A caller that sends nothing only asks whether an archive would be accepted.
      const isQuestion = code === 'invalid_archive' && !arrival.hasBegun;
      if (!isQuestion) this.counts[REFUSALS.includes(code) ? 'refused' : 'failed'] += 1;
      throw error;
    }
  }

  /** Rejects if a session of another host could not arrive here now: then that is not stopped. */
  async requireRoom(id: string): Promise<void> {
    const { supervisor, shortage } = this.#dependencies;
    supervisor.forImport(id, {});
    this.#requireStorage();
    this.#requireTurn(id, undefined);
    const why = await shortage();
    if (why) throw new GatewayError('insufficient_resources', why);
  }

  /** Removes the leftovers of interrupted imports. Call before any session starts. */
  async clear(): Promise<void> {
    const { saved, lineages, events, log } = this.#dependencies;
    for (const id of await saved.clearArrivals(log)) {
      log.warn({ session: id }, 'interrupted import removed');
      if (saved.has(id)) continue;
      events.resetDelivery(id); // The state stored for it must not apply to the next session with this id.
      await this.#forgetPlace(id);
    }
    for (const id of saved.ids()) if (lineages.movedAt(id)) log.info({ session: id }, 'session has moved');
  }

  // Export.

  async #prepare(id: string, signal: AbortSignal, keyId: string | undefined) {
    const { saved, lineages, states, journal, version } = this.#dependencies;
    const { since, link, generations } = lineages.departing(id);
    const profileDir = saved.profileOf(id);
    await requireUnused(id, profileDir);
    const about = {
      session: id,
      link,
      generations,
      exportedAt: since,
      ...(await saved.about(id)),
      gateway: version,
      browser: await browserOf(profileDir),
    };
    const state = await writeState(states, id, { findAll: (seqs) => journal.findAll(seqs, keyId) });
    const archive = await prepareArchive({ profileDir, state, about }, signal).catch((error: unknown) => {
      if (!(error instanceof UnfitProfileError)) throw error;
      throw new GatewayError('session_not_exportable', `session ${id} cannot be exported: ${error.message}`);
    });
    return { ...archive, about: { link, generations, since } };
  }

  /** Logs whether everything was sent. */
  async *#watched(id: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const { log } = this.#dependencies;
    let [sent, isWhole] = [0, false];
    try {
      for await (const piece of bytes) {
        sent += piece.length;
        yield piece;
      }
      isWhole = true;
    } finally {
      if (isWhole) log.info({ session: id, bytes: sent }, 'archive sent');
      else log.warn({ session: id, bytes: sent, hint: NOT_SENT_HINT }, 'archive not sent completely');
    }
  }

  // Import.

  async #import(id: string, taken: TakenArchive, arrival: Arrival, move?: ArrivingMove): Promise<Session> {
    const { supervisor, saved, log } = this.#dependencies;
    supervisor.forImport(id, arrival);
    this.#requireStorage();
    this.#requireTurn(id, arrival.keyId);
    const startedAt = performance.now();
    this.#arriving.set(id, arrival);
    let folder: string | undefined;
    try {
      folder = await saved.makeArrival(id);
      const { session, manifest } = await this.#arrive(id, folder, taken, arrival, move);
      const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
      const ms = Math.round(performance.now() - startedAt);
      log.info({ session: id, bytes, files: manifest.files.length, ms }, 'session imported');
      return session;
    } finally {
      this.#arriving.delete(id);
      if (folder !== undefined) await this.#remove(folder);
    }
  }

  async #arrive(id: string, folder: string, taken: TakenArchive, arrival: Arrival, move?: ArrivingMove) {
    const { supervisor, saved, states, events } = this.#dependencies;
    const { manifest, state } = await unpackArchive(withArrivalLimit(taken.archive, arrival), {
      session: id,
      digests: taken.digests,
      onManifest: (about) => this.#requireWanted(id, about, folder, arrival),
      pathOf: (name) => join(folder, 'session', IN_PROFILE, name.slice(PROFILE.length)),
    });
    const { records, restoreOthers } = await readState(states, id, state);
    events.imports.charge(id, arrival.keyId, records);
    const unstored = new Set(records);
    try {
      // An older browser would not understand the profile: the worker checks this.
      const { browser } = manifest;
      if (browser !== undefined) await this.#stored(() => writeFile(join(folder, 'session', VERSION_FILE), browser));
      await saved.completeArrival(folder, manifest);
      // Only now: an unknown session that does nothing may be dropped.
      const session = supervisor.forImport(id, arrival);
      const place = async () => {
        await this.#place(id, folder, manifest, unstored, restoreOthers, move ? 'placed' : 'here');
        if (move) await this.#commit(id, move);
      };
      await session.moveIn(place, arrival, move?.starts);
      return { session, manifest };
    } finally {
      events.imports.refund(id, arrival.keyId, unstored); // Stored records stay in the journal, even if the import has failed.
    }
  }

  async #requireWanted(id: string, about: Manifest, folder: string, arrival: Arrival): Promise<void> {
    const { config, saved, lineages } = this.#dependencies;
    lineages.requireNewer(id, about, saved.has(id));
    const bytes = about.files.reduce((sum, file) => sum + file.bytes, 0);
    if (bytes > config.importMaxBytes)
      throw new GatewayError('body_too_large', 'the archive has more bytes than CHAT_WEB_IMPORT_MAX_MB allows');
    arrival.bytes = bytes;
    // Counts the announced sizes of all imports; what they have written already counts twice.
    const announced = [...this.#arriving.values()].reduce((sum, one) => sum + one.bytes, 0);
    await requireFreeDisk(folder, config.minFreeDiskBytes + announced, ' for the session');
  }

  /** Called while nothing of the session runs here, and nothing can start. Removes stored records from `unstored`. */
  async #place(
    id: string,
    folder: string,
    manifest: Manifest,
    unstored: Set<NewRecord>,
    restoreOthers: () => Promise<void>,
    as: 'here' | 'placed',
  ): Promise<void> {
    const { saved, lineages, events } = this.#dependencies;
    // Meanwhile, another import or a deletion may have been quicker.
    lineages.requireNewer(id, manifest, saved.has(id));
    const wasHere = saved.has(id);
    try {
      // First: if they are not stored, messages would be delivered twice, or not at all.
      await this.#storeAll(unstored);
      await restoreOthers();
      await this.#stored(() => saved.place(id, folder, () => lineages.arrived(id, manifest, as)));
    } catch (error) {
      if (!wasHere) events.resetDelivery(id);
      if (!saved.has(id)) await this.#forgetPlace(id);
      throw error;
    }
  }

  async #commit(id: string, move: ArrivingMove): Promise<void> {
    const { saved, lineages, events } = this.#dependencies;
    if (await move.commit()) return this.#stored(() => lineages.takenBack(id));
    await saved.wipe(id);
    events.resetDelivery(id);
    await this.#forgetPlace(id);
    throw new GatewayError('session_moving', `the move of session ${id} was cancelled`);
  }

  async #storeAll(unstored: Set<NewRecord>): Promise<void> {
    const { events } = this.#dependencies;
    const store = async (record: NewRecord) => {
      await events.storeImported(record);
      unstored.delete(record);
    };
    for (const portion of portionsOf([...unstored])) {
      const outcomes = await Promise.allSettled(portion.map(store)); // No append is pending after a failure.
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    }
  }

  // Limits.

  #requireTurn(id: string, keyId: string | undefined): void {
    const taken = [...this.#arriving.values()].map((one) => one.keyId);
    const full = exceededShare(ARRIVALS, taken, keyId);
    const why = this.#arriving.has(id)
      ? `session ${id} is being imported`
      : full && `${full.max} sessions are being imported${full.whose}, which is the limit`;
    if (why) throw new GatewayError('insufficient_resources', why, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  #requireStorage(): void {
    if (this.#dependencies.events.isStoring) return;
    throw new GatewayError(
      'insufficient_resources',
      'events cannot be stored: free space on the disk of the data folder',
    );
  }

  async #stored<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw asDiskError(error);
    }
  }

  /** The next session with this id is another link, unless the same one arrives again. Never rejects. */
  async #forgetPlace(id: string): Promise<void> {
    await this.#dependencies.lineages
      .gone(id)
      .catch((error: unknown) =>
        this.#dependencies.log.warn({ session: id, error: errorText(error) }, 'lineage of a failed import not removed'),
      );
  }

  /** Never rejects: what cannot be removed is removed at the next start. */
  async #remove(folder: string): Promise<void> {
    await removeTree(folder).catch((error: unknown) =>
      this.#dependencies.log.warn({ error: errorText(error) }, 'interrupted import not removed'),
    );
  }
}

/** Throws `session_not_exportable` while a browser uses the profile: a copy of it would be inconsistent. */
async function requireUnused(id: string, profileDir: string): Promise<void> {
  const refuse = (why: string) =>
    new GatewayError('session_not_exportable', `session ${id} cannot be exported: ${why}`);
  const [left] = await freeProfile(profileDir).catch((error: unknown) => {
    if (!(error instanceof ProfileInUseError)) throw error;
    throw refuse(`a browser that this gateway did not start uses its profile (process ${error.pid}): close it`);
  });
  if (left) throw refuse(`its browser was killed but still runs (process ${left.pid}): retry when it has exited`);
}

/** Throws `request_timeout` where a sender takes too long. */
async function* withArrivalLimit(archive: AsyncIterable<Uint8Array>, arrival: Arrival): AsyncGenerator<Uint8Array> {
  const endsAt = performance.now() + MAX_ARRIVAL_MS;
  for await (const piece of archive) {
    arrival.hasBegun = true;
    if (performance.now() > endsAt)
      throw new GatewayError('request_timeout', `the archive did not arrive within ${MAX_ARRIVAL_MS / 3_600_000} h`);
    yield piece;
  }
}

function asDiskError(error: unknown): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (!(error instanceof NotStoredError) && !DISK_ERRORS.includes(code)) return error;
  // Without the paths of this machine, which the messages of errors contain.
  return new GatewayError(
    'insufficient_resources',
    `the disk of the data folder cannot store it (${code || 'the journal is not written'}): free some of its space`,
    { cause: error },
  );
}

async function browserOf(profileDir: string): Promise<string | undefined> {
  const text = await readOwnText(join(profileDir, VERSION_FILE), MAX_VERSION_BYTES).catch(() => '');
  return /^[\d.]{1,40}$/.exec(text.trim())?.[0];
}
