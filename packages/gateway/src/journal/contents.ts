import { getOrAdd } from '@chat-web/protocol';

/** More than the events of a segment have on most hosts: each takes about 100 bytes, as long as the segment is kept. */
const MAX_KINDS = 4_000;

/** Of which sessions a segment has events, and with which names: readers that get none of these skip it. */
export class Contents {
  readonly #sessions = new Map<string, Set<string>>();
  #kinds = 0;

  add(session: string, name: string): void {
    const names = getOrAdd(this.#sessions, session, () => new Set<string>());
    if (names.has(name)) return;
    names.add(name);
    this.#kinds += 1;
  }

  get isTooLarge(): boolean {
    return this.#kinds > MAX_KINDS;
  }

  some(isWanted: (session: string, name: string) => boolean): boolean {
    for (const [session, names] of this.#sessions) for (const name of names) if (isWanted(session, name)) return true;
    return false;
  }
}
