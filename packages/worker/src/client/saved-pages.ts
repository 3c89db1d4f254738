import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import type { PageDocument } from './page-document.ts';

/** Builds come every few days, and work for about two months. */
const MOST_PAGES = 20;
/** What the page says of its version becomes the name of a file. */
const VERSION = /^[\w][\w.-]{0,39}$/;
const SUFFIX = '.html';
const HEADERS_SUFFIX = '.headers.json';
const UNFINISHED_SUFFIX = '.new';
const UNFINISHED_MS = 60 * 60_000;
const storedHeaders = v.record(v.string(), v.string());

/** The document of the version that was chosen is not there. */
export class PageNotSavedError extends Error {}

/** Documents of the page by their version, in a folder that all sessions share: for an operator who stays on one. */
export class SavedPages {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** The document of a version. Throws a PageNotSavedError where there is none. */
  read(version: string): PageDocument {
    try {
      return { html: readFileSync(this.#pathOf(version), 'utf8'), headers: this.#headersOf(version) };
    } catch {
      throw new PageNotSavedError(
        `page ${version} is not in ${this.#dir}: put its document there as ${version}${SUFFIX}, or unset CHAT_WEB_PAGE_VERSION`,
      );
    }
  }

  /** Keeps a document, unless it is there already; the oldest go. */
  async keep(version: string, { html, headers }: PageDocument): Promise<void> {
    if (!VERSION.test(version) || existsSync(this.#pathOf(version))) return;
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    await this.#write(this.#pathOf(version, HEADERS_SUFFIX), JSON.stringify(headers));
    await this.#write(this.#pathOf(version), html); // Last: where it is, all of it is.
    await this.#removeOldest();
  }

  /** The headers of a version; none for a document that somebody else put there. */
  #headersOf(version: string): PageDocument['headers'] {
    const path = this.#pathOf(version, HEADERS_SUFFIX);
    return existsSync(path) ? v.parse(storedHeaders, JSON.parse(readFileSync(path, 'utf8'))) : {};
  }

  async #write(path: string, text: string): Promise<void> {
    const unfinished = join(this.#dir, `${randomUUID()}${UNFINISHED_SUFFIX}`);
    await writeFile(unfinished, text, { mode: 0o600 });
    await rename(unfinished, path);
  }

  async #removeOldest(): Promise<void> {
    const names = (await readdir(this.#dir)).filter(
      (name) => name.endsWith(SUFFIX) || name.endsWith(UNFINISHED_SUFFIX),
    );
    const ages = await Promise.all(
      names.map(async (name) => ({
        name,
        at: (await stat(join(this.#dir, name)).catch(() => undefined))?.mtimeMs ?? 0,
      })),
    );
    const isUnfinished = ({ name }: { name: string }) => name.endsWith(UNFINISHED_SUFFIX);
    const oldest = ages
      .filter((file) => !isUnfinished(file))
      .sort((a, b) => b.at - a.at)
      .slice(MOST_PAGES)
      .flatMap(({ name }) => [name, `${name.slice(0, -SUFFIX.length)}${HEADERS_SUFFIX}`]);
    // Left behind by a worker that was killed while it wrote.
    const abandoned = ages.filter((file) => isUnfinished(file) && Date.now() - file.at > UNFINISHED_MS);
    const gone = [...oldest, ...abandoned.map(({ name }) => name)];
    await Promise.all(gone.map((name) => rm(join(this.#dir, name), { force: true })));
  }

  #pathOf(version: string, suffix = SUFFIX): string {
    return join(this.#dir, `${version}${suffix}`);
  }
}
