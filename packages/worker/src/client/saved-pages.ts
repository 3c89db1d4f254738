import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Builds come every few days, and work for about two months. */
const MOST_PAGES = 20;
/** What the page says of its version becomes the name of a file. */
const VERSION = /^[\w][\w.-]{0,39}$/;
const SUFFIX = '.html';

/** The document of the version that was chosen is not there. */
export class PageNotSavedError extends Error {}

/** Documents of the page by their version, in a folder that all sessions share: for an operator who stays on one. */
export class SavedPages {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** The document of a version. Throws a PageNotSavedError where there is none. */
  read(version: string): string {
    try {
      return readFileSync(this.#pathOf(version), 'utf8');
    } catch {
      throw new PageNotSavedError(
        `page ${version} is not in ${this.#dir}: put its document there as ${version}${SUFFIX}, or unset CHAT_WEB_PAGE_VERSION`,
      );
    }
  }

  /** Keeps a document, unless it is there already; the oldest go. */
  async keep(version: string, html: string): Promise<void> {
    if (!VERSION.test(version) || existsSync(this.#pathOf(version))) return;
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    const unfinished = join(this.#dir, `${randomUUID()}.new`);
    await writeFile(unfinished, html, { mode: 0o600 });
    await rename(unfinished, this.#pathOf(version));
    await this.#removeOldest();
  }

  async #removeOldest(): Promise<void> {
    const names = (await readdir(this.#dir)).filter((name) => name.endsWith(SUFFIX));
    const ages = await Promise.all(
      names.map(async (name) => ({
        name,
        at: (await stat(join(this.#dir, name)).catch(() => undefined))?.mtimeMs ?? 0,
      })),
    );
    const oldest = ages.sort((a, b) => b.at - a.at).slice(MOST_PAGES);
    await Promise.all(oldest.map(({ name }) => rm(join(this.#dir, name), { force: true })));
  }

  #pathOf(version: string): string {
    return join(this.#dir, `${version}${SUFFIX}`);
  }
}
