import { type Download, MB } from '@chat-web/protocol';
import { LRUCache } from 'lru-cache';
import { joinedBytes } from '../joined-bytes.ts';

/** A cached picture; null: there is none. `large`: too large for the cache, so that every caller requests it. */
type Kept =
  | { readonly picture: { readonly bytes: Uint8Array<ArrayBuffer>; readonly mimeType: string } | null }
  | 'large';

type Ask = () => Promise<Download | null>;
interface Asking {
  readonly shared: Ask;
  readonly own: Ask;
}

/** The size of an entry apart from its bytes. */
const ENTRY_BYTES = 500;
const MAX_ENTRIES = 10_000;

/** Caches profile pictures, and the absence of one, by session and contact. Failures are not cached. */
export class PictureCache {
  readonly #maxPictureBytes: number;
  readonly #kept: LRUCache<string, Kept, Ask>;

  /** `maxBytes` limits all pictures, `maxPictureBytes` one picture; larger ones are passed through. */
  constructor(maxAgeMs: number, maxBytes: number, maxPictureBytes: number) {
    this.#maxPictureBytes = maxPictureBytes;
    this.#kept = new LRUCache({
      max: MAX_ENTRIES,
      maxSize: maxBytes,
      maxEntrySize: maxPictureBytes + ENTRY_BYTES,
      sizeCalculation: sizeOf,
      ttl: maxAgeMs,
      // A caller still gets an entry that is invalidated meanwhile; the cache drops it.
      ignoreFetchAbort: true,
      fetchMethod: (_, __, { context: ask }) => this.#read(ask),
    });
  }

  /** `shared` sends one request for all waiting callers, `own` one for this caller only. */
  async get(session: string, contactId: string, { shared, own }: Asking): Promise<Download | null> {
    const kept = await this.#kept.fetch(cacheKey(session, contactId), { context: shared });
    if (kept === undefined || kept === 'large') return own();
    if (kept.picture === null) return null;
    const { bytes, mimeType } = kept.picture;
    return { data: streamOf(bytes.slice()), size: bytes.byteLength, mimeType };
  }

  clear(session?: string): void {
    const start = session === undefined ? '' : cacheKey(session, '');
    for (const key of [...this.#kept.keys()]) if (key.startsWith(start)) this.#kept.delete(key);
  }

  async #read(ask: Ask): Promise<Kept> {
    const download = await ask();
    if (!download) return { picture: null };
    if (download.size > this.#maxPictureBytes) {
      await download.data.cancel();
      return 'large';
    }
    const reader = download.data.getReader(); // Not every browser can iterate streams.
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      size += value.byteLength;
      if (size > this.#maxPictureBytes) {
        await reader.cancel();
        return 'large';
      }
    }
    return { picture: { bytes: joinedBytes(chunks, size), mimeType: download.mimeType } };
  }
}

export const PICTURE_BOUNDS = { all: 64 * MB, one: MB } as const;

/** Session ids contain no slash. */
function cacheKey(session: string, contactId: string): string {
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
