import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { PositionStore } from '@chat-web/host';

/** A message of a conversation. */
export interface Stored {
  readonly id: string;
  /** The chat that it belongs to, such as `12025550102@c.us`. */
  readonly chat: string;
  readonly fromMe: boolean;
  readonly body: string;
  readonly type: string;
  /** In Unix seconds. */
  readonly timestamp: number;
  readonly ack: number;
  readonly hasMedia: boolean;
  readonly filename?: string | undefined;
  readonly mimeType?: string | undefined;
  /** Who wrote it, in a group. */
  readonly author?: string | undefined;
  /** It arrived through the provider's cloud, from a person with this name. */
  readonly cloud?: { readonly name: string } | undefined;
}

/** One line of the file. */
type Line =
  | { readonly message: Stored }
  | { readonly ack: { readonly id: string; readonly ack: number } }
  | { readonly linkedAt: string }
  | { readonly position: string };

const MOST_PER_CHAT = 500;
const MOST_EARLY_ACKS = 1_000;

/**
 * Messages, and the position among the gateway's events, in one append-only file of JSON lines. A position is written
 * after everything that it covers: after a crash, missing events are delivered again, and known ones are recognised by
 * id. A real application uses a database: one transaction for the work and the position.
 */
export class Store {
  readonly #file: FileHandle;
  readonly #messages = new Map<string, Stored>();
  readonly #chats = new Map<string, string[]>();
  /** An ack may arrive before the answer to its send. */
  readonly #earlyAcks = new Map<string, number>();
  #linkedAt: string | undefined;
  #position: string | undefined;
  #writing: Promise<unknown> = Promise.resolve();
  /** The file may end within a line. */
  #isTorn = true;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async open(path: string): Promise<Store> {
    const store = new Store(await open(path, 'a', 0o600));
    for await (const text of createInterface({ input: createReadStream(path) })) {
      const line = parsed(text);
      if (line) store.#apply(line);
    }
    return store;
  }

  /** The position at which the host's listener resumes after a restart. */
  readonly position: PositionStore = {
    load: async () => this.#position,
    save: (position) => this.#write({ position }),
  };

  /** When the account was last linked, in ISO 8601. */
  get linkedAt(): string | undefined {
    return this.#linkedAt;
  }

  /** The newest message of each chat that has one, newest first. */
  get chats(): readonly Stored[] {
    const newest = [...this.#chats.values()].flatMap((ids) => this.#messages.get(ids.at(-1) ?? '') ?? []);
    return newest.sort((a, b) => b.timestamp - a.timestamp);
  }

  /** The newest messages of a chat, oldest first. */
  conversation(chat: string): readonly Stored[] {
    return (this.#chats.get(chat) ?? []).flatMap((id) => this.#messages.get(id) ?? []);
  }

  message(id: string): Stored | undefined {
    return this.#messages.get(id);
  }

  /** Resolves when the message is on disk. A known message changes nothing. */
  async add(message: Stored): Promise<void> {
    if (!this.#messages.has(message.id)) await this.#write({ message });
  }

  async acknowledge(id: string, ack: number): Promise<void> {
    await this.#write({ ack: { id, ack } });
  }

  async linked(linkedAt: string): Promise<void> {
    await this.#write({ linkedAt });
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#file.close();
  }

  /** One line at a time. A line counts once it is on disk. */
  #write(line: Line): Promise<void> {
    const written = this.#writing.then(async () => {
      const text = `${this.#isTorn ? '\n' : ''}${JSON.stringify(line)}\n`;
      this.#isTorn = true;
      await this.#file.appendFile(text);
      await this.#file.datasync();
      this.#isTorn = false;
      this.#apply(line);
    });
    this.#writing = written.catch(() => {}); // The caller handles the error.
    return written;
  }

  #apply(line: Line): void {
    if ('message' in line) this.#keep(line.message);
    else if ('ack' in line) this.#raise(line.ack.id, line.ack.ack);
    else if ('linkedAt' in line) this.#linkedAt = line.linkedAt;
    else this.#position = line.position;
  }

  #keep(message: Stored): void {
    if (this.#messages.has(message.id)) return;
    const ids = this.#chats.get(message.chat) ?? [];
    this.#chats.set(message.chat, ids);
    this.#messages.set(message.id, message);
    this.#raise(message.id, this.#earlyAcks.get(message.id) ?? message.ack);
    this.#earlyAcks.delete(message.id);
    ids.push(message.id);
    if (ids.length > MOST_PER_CHAT) this.#messages.delete(ids.shift() ?? '');
  }

  #raise(id: string, ack: number): void {
    const message = this.#messages.get(id);
    if (message) this.#messages.set(id, { ...message, ack: ack < 0 ? ack : Math.max(ack, message.ack) });
    else this.#earlyAcks.set(id, ack);
    const [oldest] = this.#earlyAcks.keys();
    if (this.#earlyAcks.size > MOST_EARLY_ACKS && oldest !== undefined) this.#earlyAcks.delete(oldest);
  }
}

/** A line that was truncated by a crash is ignored. */
function parsed(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}
