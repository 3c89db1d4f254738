import { errorText, MAX_DELIVERED_IDS, OVERLAP_SECONDS } from '@chat-web/protocol';
import * as v from 'valibot';
import { readOwnText, replaceText } from '../host/text-files.ts';
import type { Log } from '../log.ts';

const WRITE_DELAY_MS = 1_000;
/** That many ids of the longest kind: 300 characters of three bytes each. */
const MOST_FILE_BYTES = MAX_DELIVERED_IDS * 1_024;

const stored = v.object({ from: v.number(), ids: v.record(v.string(), v.number()) });

/**
 * The inbound messages that were delivered, so that one that arrived while nothing listened is delivered later, and
 * none twice. Kept in a file beside the profile, for the next start of the gateway.
 */
export class HeardMessages {
  readonly #path: string;
  readonly #log: Log;
  /** Timestamps of the messages that a catch-up would find again, by id. */
  readonly #ids = new Map<string, number>();
  #from: number | undefined;
  #writing: NodeJS.Timeout | undefined;
  #written: Promise<void> = Promise.resolve();

  constructor(path: string, log: Log) {
    this.#path = path;
    this.#log = log;
  }

  /** Reads the file of an earlier gateway. Starts empty if there is none, or it is unreadable. */
  async load(): Promise<void> {
    if (this.#from !== undefined) return;
    const text = await readOwnText(this.#path, MOST_FILE_BYTES).catch(() => '');
    if (!text) return;
    try {
      const { from, ids } = v.parse(stored, JSON.parse(text));
      this.#from = Math.min(from, now());
      for (const [id, timestamp] of Object.entries(ids)) this.#ids.set(id, timestamp);
    } catch (error) {
      this.#log.warn({ error: errorText(error) }, 'known messages unreadable');
    }
  }

  /** Messages from this time on may not have been delivered yet, in Unix seconds: now, if nothing is known. */
  get from(): number {
    return this.#from ?? now();
  }

  /**
   * True for a message that was not delivered yet; from then on it counts as delivered. `timestamp` in Unix seconds.
   */
  isNews(id: string, timestamp: number): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.set(id, timestamp);
    // A timestamp in the future, from a wrong clock, would skip everything until then.
    this.#from = Math.max(this.#from ?? 0, Math.min(timestamp, now()) - OVERLAP_SECONDS);
    for (const [oldest, at] of this.#ids) {
      if (at >= this.#from && this.#ids.size <= MAX_DELIVERED_IDS) break;
      this.#ids.delete(oldest);
    }
    this.#writeSoon();
    return true;
  }

  /** Messages before this time, in Unix seconds, were delivered or reported as a gap: they are not looked for again. */
  skipTo(timestamp: number): void {
    if (this.#from === undefined || timestamp <= this.#from) return;
    this.#from = timestamp;
    this.#writeSoon();
  }

  /** The session is ready: the first time, everything before is history. */
  begin(): void {
    if (this.#from !== undefined) return;
    this.#from = now();
    this.#writeSoon();
  }

  /** Forgets everything: another account may be linked next. */
  clear(): void {
    clearTimeout(this.#writing);
    this.#writing = undefined;
    this.#ids.clear();
    this.#from = undefined;
  }

  /** Writes pending changes. Never rejects. */
  flush(): Promise<void> {
    if (this.#writing) {
      clearTimeout(this.#writing);
      this.#writing = undefined;
      this.#written = this.#written.then(() => this.#write());
    }
    return this.#written;
  }

  async #write(): Promise<void> {
    try {
      await replaceText(this.#path, JSON.stringify({ from: this.#from, ids: Object.fromEntries(this.#ids) }));
    } catch (error) {
      this.#log.error({ error: errorText(error) }, 'known messages not written');
    }
  }

  #writeSoon(): void {
    this.#writing ??= setTimeout(() => void this.flush(), WRITE_DELAY_MS).unref();
  }
}

function now(): number {
  return Math.floor(Date.now() / 1_000);
}
