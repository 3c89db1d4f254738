import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { access, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText, type SessionInfo, sessionId } from '@chat-web/protocol';
import * as v from 'valibot';
import { errnoOf } from '../host/errno.ts';
import { JsonFile } from '../host/json-file.ts';
import { makeFolder } from '../host/make-folder.ts';
import { isOutOfFiles } from '../host/open-files.ts';
import { emptyFolder, removeTree } from '../host/remove-tree.ts';
import { removeUnfinished, replaceText, syncFolder } from '../host/text-files.ts';
import type { Log } from '../log.ts';

/** A file in the session's folder, written when it is first ready: from then on it is started at boot. */
export const LINK_MARKER = 'linked.json';
const MAX_MARKER_BYTES = 4_096;

export interface SavedLink {
  readonly wid?: string | undefined;
  /** ISO 8601. */
  readonly linkedAt?: string | undefined;
}

/** The content of the marker. An invalid field counts as missing. */
const storedLink = v.object({
  wid: v.fallback(v.optional(v.pipe(v.string(), v.regex(/^\d{1,20}@(?:c\.us|lid)$/))), undefined),
  linkedAt: v.fallback(v.optional(v.pipe(v.string(), v.toDate())), undefined),
  /** Only an imported archive says that it has this account. */
  imported: v.fallback(v.optional(v.boolean()), undefined),
});
type StoredLink = v.InferOutput<typeof storedLink>;

/**
 * The folders of the sessions, and which of them have saved auth. Layout of the data folder:
 * `sessions/<id>/session` the browser's profile, `sessions/<id>/linked.json` the marker, `trash/` what is being wiped,
 * `pages/` saved documents of the page and what was missing on each (`history.json`), `journal/` the events of all,
 * `arriving/` what is being imported, `moves/` what is known of sessions that have moved.
 */
export class SavedSessions {
  /** Documents of the page by version, shared by all sessions. */
  readonly pagesDir: string;
  readonly sessionsDir: string;
  readonly #trashDir: string;
  readonly #arrivingDir: string;
  readonly #saved = new Set<string>();

  constructor(dataDir: string, pagesDir: string) {
    this.pagesDir = pagesDir;
    this.sessionsDir = join(dataDir, 'sessions');
    this.#trashDir = join(dataDir, 'trash');
    this.#arrivingDir = join(dataDir, 'arriving');
  }

  /**
   * Loads the sessions of an earlier gateway: linked ones are kept, unfinished ones and the trash are wiped, or logged if
   * that fails. Rejects if the data folder cannot be written.
   */
  async load(log: Pick<Log, 'warn'>): Promise<void> {
    for (const dir of [this.sessionsDir, this.#trashDir]) makeFolder(dir, log);
    await emptyFolder(this.#trashDir, log);
    for (const id of readdirSync(this.sessionsDir)) {
      if (!v.is(sessionId, id)) continue; // Not a session's folder.
      if (await this.#isUnlinked(id)) {
        await this.wipe(id).catch((error: NodeJS.ErrnoException) =>
          log.warn({ session: id, error: error.code ?? errorText(error) }, 'session folder not removed'),
        );
      } else {
        this.#saved.add(id);
        await removeUnfinished(this.dirOf(id));
      }
    }
  }

  ids(): string[] {
    return [...this.#saved];
  }

  has(id: string): boolean {
    return this.#saved.has(id);
  }

  /** The session's folder; created by the first write to it. */
  dirOf(id: string): string {
    return join(this.sessionsDir, id);
  }

  profileOf(id: string): string {
    return join(this.dirOf(id), 'session');
  }

  /**
   * The session is ready. `linkedAt`: when it was linked, if that is not saved yet. The marker of a new link exists when
   * this returns, and is complete when it resolves: a gateway that is killed after it reported `ready` keeps the link.
   */
  async save(id: string, { wid }: SessionInfo, linkedAt: Date): Promise<void> {
    if (!this.#saved.has(id)) {
      this.#saved.add(id);
      this.#createMarker(id);
    }
    const since = (await this.linkedAt(id)) ?? linkedAt;
    await replaceText(join(this.dirOf(id), LINK_MARKER), JSON.stringify({ wid, linkedAt: since.toISOString() }));
  }

  /**
   * The number of its account, in digits; undefined if it was never ready, or only a hidden id of its account is known.
   * `isLinked`: false as long as only an imported archive says that it has this account.
   */
  async accountOf(id: string): Promise<{ readonly number: string | undefined; readonly isLinked: boolean }> {
    const { wid, imported } = await this.#link(id);
    return { number: wid?.endsWith('@c.us') ? wid.slice(0, -'@c.us'.length) : undefined, isLinked: !imported };
  }

  /** When the session was linked; undefined if it is not linked, or that is unknown. */
  async linkedAt(id: string): Promise<Date | undefined> {
    return (await this.#link(id)).linkedAt;
  }

  async about(id: string): Promise<SavedLink> {
    const { wid, linkedAt } = await this.#link(id);
    return { wid, linkedAt: linkedAt?.toISOString() };
  }

  /** Creates a folder for a session that is being imported, outside of the sessions. */
  async makeArrival(id: string): Promise<string> {
    const folder = join(this.#arrivingDir, `${id}.${randomUUID()}`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  /** Completes the folder of an imported session: adds the files besides the profile. */
  async completeArrival(folder: string, { wid, linkedAt }: SavedLink): Promise<void> {
    await replaceText(join(folder, LINK_MARKER), JSON.stringify({ wid, linkedAt, imported: true }), { durably: true });
  }

  /**
   * Installs the folder of an imported session, replacing a copy that has moved away, if there is one. `ready` is
   * called once that copy is out of the way, and records the import: if it rejects, the copy is restored. Once the
   * import is recorded, the old copy must not come back: whatever happens then, either the imported session is here, or
   * none.
   */
  async place(id: string, folder: string, ready: () => Promise<void>): Promise<void> {
    const before = existsSync(this.dirOf(id)) ? join(this.#trashDir, `${id}-${randomUUID()}`) : undefined;
    if (before) await rename(this.dirOf(id), before);
    try {
      await ready();
    } catch (error) {
      if (before) await rename(before, this.dirOf(id));
      throw error;
    }
    this.#saved.delete(id);
    await rename(folder, this.dirOf(id));
    this.#saved.add(id);
    // It is installed: later failures leave only clutter.
    await syncFolder(this.sessionsDir).catch(() => {});
    if (before) await removeTree(before).catch(() => {});
  }

  /** Removes the leftovers of interrupted imports. Returns the ids of their sessions. */
  async clearArrivals(log: Pick<Log, 'warn'>): Promise<string[]> {
    makeFolder(this.#arrivingDir, log);
    const ids = readdirSync(this.#arrivingDir).map((name) => name.split('.')[0] ?? '');
    await emptyFolder(this.#arrivingDir, log);
    return ids.filter((id) => v.is(sessionId, id));
  }

  /** Forgets the session and removes its folder: it is renamed first, so that a half-wiped profile is never started. */
  async wipe(id: string): Promise<void> {
    if (!existsSync(this.dirOf(id))) {
      this.#saved.delete(id);
      return;
    }
    const condemned = join(this.#trashDir, `${id}-${randomUUID()}`);
    await mkdir(this.#trashDir, { recursive: true, mode: 0o700 });
    await rename(this.dirOf(id), condemned);
    this.#saved.delete(id);
    await removeTree(condemned);
  }

  #createMarker(id: string): void {
    try {
      writeFileSync(join(this.dirOf(id), LINK_MARKER), '', { mode: 0o600, flag: 'wx' });
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
  }

  /** Empty if there is none, or it is invalid. Rejects if no more files can be opened: the session may be linked. */
  async #link(id: string): Promise<StoredLink> {
    try {
      return (await new JsonFile(join(this.dirOf(id), LINK_MARKER), storedLink, MAX_MARKER_BYTES).read()) ?? {};
    } catch (error) {
      if (isOutOfFiles(error)) throw error;
      return {};
    }
  }

  /** Only if the marker is absent: an unreadable folder may be worth keeping. */
  async #isUnlinked(id: string): Promise<boolean> {
    try {
      await access(join(this.dirOf(id), LINK_MARKER));
      return false;
    } catch (error) {
      return errnoOf(error) === 'ENOENT';
    }
  }
}
