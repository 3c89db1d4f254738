import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { access, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText, type SessionInfo, sessionId } from '@chat-web/protocol';
import * as v from 'valibot';
import { makeFolder } from '../host/make-folder.ts';
import { emptyFolder, removeTree } from '../host/remove-tree.ts';
import { readOwnText, removeUnfinished, replaceText } from '../host/text-files.ts';
import type { Log } from '../log.ts';

/** Written when a session first becomes ready: from then on it is started at boot. */
const MARKER = 'linked.json';
const MOST_MARKER_BYTES = 4_096;

/**
 * The folders of the sessions, and which of them have saved auth. Layout of the data folder:
 * `sessions/<id>/session` the browser's profile, `sessions/<id>/linked.json` the marker, `trash/` what is being wiped,
 * `pages/` saved documents of the page and what was missing on each (`history.json`), `journal/` the events of all.
 */
export class SavedSessions {
  /** Documents of the page by version, shared by all sessions. */
  readonly pagesDir: string;
  /** The folder of all sessions. */
  readonly sessionsDir: string;
  readonly #trashDir: string;
  readonly #saved = new Set<string>();

  constructor(dataDir: string, pagesDir: string) {
    this.pagesDir = pagesDir;
    this.sessionsDir = join(dataDir, 'sessions');
    this.#trashDir = join(dataDir, 'trash');
  }

  /**
   * Loads the sessions of an earlier gateway: linked ones are kept, unfinished ones and the trash are wiped, or logged if
   * that fails. Rejects if the data folder cannot be written.
   */
  async load(log: Pick<Log, 'warn'>): Promise<void> {
    for (const dir of [this.sessionsDir, this.#trashDir]) makeFolder(dir, log);
    await emptyFolder(this.#trashDir, log);
    for (const id of readdirSync(this.sessionsDir)) {
      if (!v.is(sessionId, id)) continue; // Not a session's.
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

  /** The browser's profile in it. */
  profileOf(id: string): string {
    return join(this.dirOf(id), 'session');
  }

  /** The session is ready. `linkedAt`: when it was linked, if that is not saved yet. */
  async save(id: string, { wid }: SessionInfo, linkedAt: Date): Promise<void> {
    this.#saved.add(id);
    const since = (await this.linkedAt(id)) ?? linkedAt;
    await replaceText(join(this.dirOf(id), MARKER), JSON.stringify({ wid, linkedAt: since.toISOString() }));
  }

  /** The number of its account, in digits; undefined if it was never ready, or its account is known by a hidden id alone. */
  async numberOf(id: string): Promise<string | undefined> {
    return /"wid":"(\d+)@c\.us"/.exec(await this.#marker(id))?.[1];
  }

  /** When the session was linked; undefined if it was not, or that is unknown. */
  async linkedAt(id: string): Promise<Date | undefined> {
    const [, written = ''] = /"linkedAt":"([^"]+)"/.exec(await this.#marker(id)) ?? [];
    const linkedAt = new Date(written);
    return Number.isNaN(linkedAt.getTime()) ? undefined : linkedAt;
  }

  /** Forgets the session and removes its folder: renamed first, so that a half-wiped profile is never started. */
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

  #marker(id: string): Promise<string> {
    return readOwnText(join(this.dirOf(id), MARKER), MOST_MARKER_BYTES).catch(() => '');
  }

  /** Only if the marker is absent: a folder that cannot be read may be worth keeping. */
  async #isUnlinked(id: string): Promise<boolean> {
    try {
      await access(join(this.dirOf(id), MARKER));
      return false;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT';
    }
  }
}
