import type { Entry, Feed } from '../events/feed.ts';

/** An event that belongs to a session. */
interface SessionEntry extends Entry {
  readonly session: string;
}

/**
 * Finds the first event of each session in a feed, one at a time. A session is returned once: a later event of it must
 * not be delivered before the first.
 */
export class AheadScan {
  readonly #feed: Pick<Feed, 'isAtEnd' | 'read'>;
  readonly #isAhead: (entry: Entry) => boolean;
  readonly #passed = new Set<string>();
  /** Read from the feed, but not examined. */
  #held: Entry[] = [];

  /** `isAhead`: false for events that are no longer of interest. */
  constructor(feed: Pick<Feed, 'isAtEnd' | 'read'>, isAhead: (entry: Entry) => boolean) {
    this.#feed = feed;
    this.#isAhead = isAhead;
  }

  /** The first event of another session. Undefined at the end of the feed, and at a gap that concerns all sessions. */
  async next(): Promise<SessionEntry | undefined> {
    for (;;) {
      const [entry] = this.#held;
      if (!entry) {
        if (this.#feed.isAtEnd) return undefined;
        this.#held = await this.#feed.read();
        continue;
      }
      const { session } = entry;
      if (session === undefined) return undefined;
      this.#held.shift();
      if (this.#passed.has(session) || !this.#isAhead(entry)) continue;
      this.#passed.add(session);
      return { ...entry, session };
    }
  }
}
