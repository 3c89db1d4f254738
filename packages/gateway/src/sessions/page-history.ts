import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BoundedMap, errorText, type WorkerEvent } from '@chat-web/protocol';
import * as v from 'valibot';
import { JsonFile } from '../host/json-file.ts';
import type { Log } from '../log.ts';
import type { PageView } from './session-stats.ts';

const MAX_VERSIONS = 20;
const MAX_FILE_BYTES = 1_048_576;

type PageSeen = Omit<Extract<WorkerEvent, { name: 'page' }>, 'name'>;

const stored = v.object({ versions: v.array(v.object({ version: v.string(), missing: v.array(v.string()) })) });

/**
 * Remembers which capabilities were missing on each build of the page, so that a reason can say since which build:
 * operators see which one to pin. By version, since sessions may run different builds; in a file, since the gateway is
 * often restarted between two builds.
 */
export class PageHistory {
  readonly #file: JsonFile<typeof stored>;
  readonly #log: Log;
  /** The capabilities missing on each version, the last seen at the end; all others work there. */
  readonly #missing = new BoundedMap<string, ReadonlySet<string>>(MAX_VERSIONS);
  #written: Promise<void> = Promise.resolve();

  constructor(path: string, log: Log) {
    this.#file = new JsonFile(path, stored, MAX_FILE_BYTES);
    this.#log = log;
  }

  /** Reads the file of an earlier gateway. Never rejects: without a readable file it starts empty. */
  async load(): Promise<void> {
    try {
      const { versions = [] } = (await this.#file.read()) ?? {};
      for (const { version, missing } of versions) this.#missing.set(version, new Set(missing));
    } catch (error) {
      this.#log.warn({ error: errorText(error) }, 'page history unreadable');
    }
  }

  /**
   * Records what a session found, and adds since which version each capability is missing. The last report on a version
   * counts: modules that load late are missing at first.
   */
  note({ version, testIds, lacking, findings }: PageSeen): PageView {
    const missing = new Set(lacking.map(({ capability }) => capability));
    const before = this.#missing.get(version);
    this.#missing.setNewest(version, missing);
    const isKnown = before?.size === missing.size && [...missing].every((name) => before.has(name));
    if (!isKnown) this.#written = this.#written.then(() => this.#write());
    const dated = lacking.map(({ capability, reason }) => ({
      capability,
      reason: `${reason} (${this.#since(capability, version)})`,
    }));
    return { version, testIds, degraded: [...dated, ...findings] };
  }

  /** Resolves when everything is written. Never rejects. */
  flush(): Promise<void> {
    return this.#written;
  }

  /** Since which version a capability has been missing, without a break, up to this one. */
  #since(capability: string, upTo: string): string {
    const versions = [...this.#missing.keys()].filter((version) => byAge(version, upTo) <= 0).sort(byAge);
    const worked = versions.findLastIndex((version) => !this.#missing.get(version)?.has(capability));
    const since = `since ${versions[worked + 1] ?? upTo}`;
    return worked < 0 ? since : `${since}, worked on ${versions[worked]}`;
  }

  async #write(): Promise<void> {
    try {
      const versions = [...this.#missing].map(([version, missing]) => ({ version, missing: [...missing] }));
      await mkdir(dirname(this.#file.path), { recursive: true, mode: 0o700 });
      await this.#file.write({ versions }, { durably: false }); // At worst, something is missing since a later version.
    } catch (error) {
      this.#log.warn({ error: errorText(error) }, 'page history not written');
    }
  }
}

/** Orders versions such as 2.3000.1049200000, the oldest first. */
function byAge(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
