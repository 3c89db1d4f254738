import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PAGE_VERSION, savedPageFiles } from '@chat-web/protocol';
import type { PageDocument } from './page-document.ts';

/** Builds are released every few days, and work for about two months. */
const MAX_PAGES = 20;
const SUFFIX = '.html';
const UNFINISHED_SUFFIX = '.new';
const UNFINISHED_MS = 60 * 60_000;

/** Documents of the page by version, in a folder shared by all sessions: an operator can pin one of them. */
export class SavedPages {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Saves a document, unless its version is saved already, and removes the oldest ones. */
  async save(version: string, { html, headers }: PageDocument): Promise<void> {
    const files = savedPageFiles(version);
    if (!PAGE_VERSION.test(version) || existsSync(join(this.#dir, files.html))) return;
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    await this.#write(files.headers, JSON.stringify(headers));
    await this.#write(files.html, html); // Last: a version with this file is complete.
    await this.#removeOldest();
  }

  async #write(name: string, text: string): Promise<void> {
    const unfinished = join(this.#dir, `${randomUUID()}${UNFINISHED_SUFFIX}`);
    await writeFile(unfinished, text, { mode: 0o600 });
    await rename(unfinished, join(this.#dir, name));
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
      .slice(MAX_PAGES)
      .flatMap(({ name }) => Object.values(savedPageFiles(name.slice(0, -SUFFIX.length))));
    // Left behind by a worker that was killed while writing.
    const abandoned = ages.filter((file) => isUnfinished(file) && Date.now() - file.at > UNFINISHED_MS);
    const gone = [...oldest, ...abandoned.map(({ name }) => name)];
    await Promise.all(gone.map((name) => rm(join(this.#dir, name), { force: true })));
  }
}
