import { errorText, OVERLAP_SECONDS } from '@chat-web/protocol';
import * as v from 'valibot';
import { readOwnText, replaceText } from '../host/text-files.ts';
import type { Log } from '../log.ts';

/** Behind the overlap: what an account could hardly get in that time. */
const MOST_IDS = 10_000;
const WRITE_DELAY_MS = 1_000;
/** So many ids, each of the longest kind: 300 characters of three bytes. */
const MOST_FILE_BYTES = MOST_IDS * 1_024;

const stored = v.object({ from: v.number(), ids: v.record(v.string(), v.number()) });

/**
 * Which inbound messages a session has been told of: so that one which came while nobody listened is told of later,
 * and none twice. Kept in a file beside the profile, for the gateway that comes after this one.
 */
export class HeardMessages {
  readonly #path: string;
  readonly #log: Log;
  /** Timestamps of the messages that would be looked at again, by their ids. */
  readonly #ids = new Map<string, number>();
  #from: number | undefined;
  #writing: NodeJS.Timeout | undefined;
  #written: Promise<void> = Promise.resolve();

  constructor(path: string, log: Log) {
    this.#path = path;
    this.#log = log;
  }

  /** Reads what an earlier gateway has left; nothing there, or nothing legible, is a beginning. */
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

  /** Messages from this time on may not have been heard yet, in Unix seconds: now, where nothing is known. */
  get from(): number {
    return this.#from ?? now();
  }

  /** True the first time; from then on the message is known. `timestamp` in Unix seconds. */
  isNews(id: string, timestamp: number): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.set(id, timestamp);
    // A time to come, as of a message whose clock is wrong, would make all until then history.
    this.#from = Math.max(this.#from ?? 0, Math.min(timestamp, now()) - OVERLAP_SECONDS);
    for (const [oldest, at] of this.#ids) {
      if (at >= this.#from && this.#ids.size <= MOST_IDS) break;
      this.#ids.delete(oldest);
    }
    this.#writeSoon();
    return true;
  }

  /** What is older than this, in Unix seconds, is history: heard, or reported as a gap. It is not looked for again. */
  skipTo(timestamp: number): void {
    if (this.#from === undefined || timestamp <= this.#from) return;
    this.#from = timestamp;
    this.#writeSoon();
  }

  /** The session is ready: where it is so for the first time, what was before is history. */
  begin(): void {
    if (this.#from !== undefined) return;
    this.#from = now();
    this.#writeSoon();
  }

  /** Forgets all: another account may come. */
  clear(): void {
    clearTimeout(this.#writing);
    this.#writing = undefined;
    this.#ids.clear();
    this.#from = undefined;
  }

  /** Writes down what has not been yet, one after the other. Never rejects. */
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
