import type { Download } from '@chat-web/protocol';
import { LRUCache } from 'lru-cache';
import { joinedBytes } from '../joined-bytes.ts';

/** A picture that is kept; null: there is none. `large`: it is not kept, and everybody asks for it anew. */
type Kept =
  | { readonly picture: { readonly bytes: Uint8Array<ArrayBuffer>; readonly mimeType: string } | null }
  | 'large';

type Ask = () => Promise<Download | null>;
interface Asking {
  readonly shared: Ask;
  readonly own: Ask;
}

const MB = 1_048_576;
/** What an entry takes beside its bytes. */
const ENTRY_BYTES = 500;
const MOST_ENTRIES = 10_000;

/** Profile pictures, hits and misses, by session and contact. What fails is not kept. */
export class PictureCache {
  readonly #mostPictureBytes: number;
  readonly #kept: LRUCache<string, Kept, Ask>;

  /** `maxBytes` is for all pictures, `maxPictureBytes` for one; larger ones are passed through. */
  constructor(maxAgeMs: number, maxBytes: number, maxPictureBytes: number) {
    this.#mostPictureBytes = maxPictureBytes;
    this.#kept = new LRUCache({
      max: MOST_ENTRIES,
      maxSize: maxBytes,
      maxEntrySize: maxPictureBytes + ENTRY_BYTES,
      sizeCalculation: sizeOf,
      ttl: maxAgeMs,
      // A caller of an entry that is made void meanwhile gets it all the same; the cache does not.
      ignoreFetchAbort: true,
      fetchMethod: (_, __, { context: ask }) => this.#read(ask),
    });
  }

  /** `shared` is one request for all who wait for it, `own` one for this caller alone. */
  async get(session: string, contactId: string, { shared, own }: Asking): Promise<Download | null> {
    const kept = await this.#kept.fetch(keyOf(session, contactId), { context: shared });
    if (kept === undefined || kept === 'large') return own();
    if (kept.picture === null) return null;
    const { bytes, mimeType } = kept.picture;
    return { data: streamOf(bytes.slice()), size: bytes.byteLength, mimeType };
  }

  /** Makes the entries of a session void, or all of them. */
  clear(session?: string): void {
    const start = session === undefined ? '' : keyOf(session, '');
    for (const key of [...this.#kept.keys()]) if (key.startsWith(start)) this.#kept.delete(key);
  }

  async #read(ask: Ask): Promise<Kept> {
    const download = await ask();
    if (!download) return { picture: null };
    if (download.size > this.#mostPictureBytes) {
      await download.data.cancel();
      return 'large';
    }
    const reader = download.data.getReader(); // Not every browser's streams can be iterated.
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      size += value.byteLength;
      if (size > this.#mostPictureBytes) {
        await reader.cancel();
        return 'large';
      }
    }
    return { picture: { bytes: joinedBytes(chunks, size), mimeType: download.mimeType } };
  }
}

/** The default bounds, in bytes. */
export const PICTURE_BOUNDS = { all: 64 * MB, one: MB } as const;

/** Ids of sessions have no slash. */
function keyOf(session: string, contactId: string): string {
  return `${session}/${contactId}`;
}

function sizeOf(kept: Kept): number {
  return ENTRY_BYTES + (kept === 'large' ? 0 : (kept.picture?.bytes.byteLength ?? 0));
}

function streamOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      if (bytes.byteLength > 0) controller.enqueue(bytes);
      controller.close();
    },
  });
}
