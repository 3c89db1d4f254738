import { randomUUID } from 'node:crypto';
import { readdir, rename } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { errorText } from '@chat-web/protocol';
import type { Log } from '../log.ts';

/** A part of the data folder. `journal_records`: records that are intact, but have another content than ours. */
export type DamagedPart = 'webhooks' | 'journal' | 'journal_records' | 'folders';

/** The name of what was set aside, here or by `makeFolder`. */
const ASIDE = /\.(unreadable|aside)-[0-9a-f-]{36}$/;
const HINT = 'repair or remove it, and restart the gateway; until then, the part counts as damaged';

/**
 * What of the data folder cannot be used: workers can write there. It is set aside or skipped, so that the gateway
 * starts, and reported until the operator has removed it.
 */
export class Damage {
  readonly #dataDir: string;
  readonly #log: Pick<Log, 'warn' | 'error'>;
  readonly #aside = new Map<DamagedPart, number>();
  readonly #skipped = new Map<string, number>();

  constructor(dataDir: string, log: Pick<Log, 'warn' | 'error'>) {
    this.#dataDir = resolve(dataDir);
    this.#log = log;
  }

  /** How many files were set aside, and how many records were skipped since the start. */
  get counts(): ReadonlyMap<DamagedPart, number> {
    const records = [...this.#skipped.values()].reduce((sum, count) => sum + count, 0);
    return records > 0 ? new Map([...this.#aside, ['journal_records', records]]) : this.#aside;
  }

  /** Renames what cannot be used. Never rejects: what cannot be renamed stays, and is logged. */
  async setAside(path: string, why: string): Promise<void> {
    const movedTo = `${path}.unreadable-${randomUUID()}`;
    try {
      await rename(path, movedTo);
      this.#log.error({ path, movedTo, error: why, hint: HINT }, 'unreadable file set aside');
    } catch (error) {
      this.#log.error({ path, error: why, reason: errorText(error) }, 'unreadable file not set aside');
    }
    this.#add(path);
  }

  /** Counts a record that was skipped. `place`: what would have used it. Logs the 1st, the 10th, the 100th and so on. */
  skip(place: string): void {
    const records = (this.#skipped.get(place) ?? 0) + 1;
    this.#skipped.set(place, records);
    if (/^10*$/.test(String(records))) this.#log.warn({ place, records }, 'unusable journal records skipped');
  }

  /** Counts what was set aside, also by earlier gateways. */
  async count(): Promise<void> {
    this.#aside.clear();
    for (const dir of [this.#dataDir, join(this.#dataDir, 'journal')]) {
      const names = await readdir(dir).catch(() => []);
      for (const name of names) if (ASIDE.test(name)) this.#add(join(dir, name));
    }
  }

  #add(path: string): void {
    const isWebhooks = basename(path).startsWith('webhooks.json');
    const part = dirname(resolve(path)) !== this.#dataDir ? 'journal' : isWebhooks ? 'webhooks' : 'folders';
    this.#aside.set(part, (this.#aside.get(part) ?? 0) + 1);
  }
}
