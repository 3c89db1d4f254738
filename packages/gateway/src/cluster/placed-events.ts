import { EVENT_ID } from '@chat-web/protocol';
import type { Entry, Feed, FeedOptions } from '../events/feed.ts';
import type { WebhookEvents } from '../events/webhook-events.ts';
import { LogFeed, type LogRecords, placeIn, placeText } from './log-feed.ts';

/** The events of all hosts for webhooks. Their positions are places in the one order: ids of two hosts have none. */
export class PlacedEvents implements WebhookEvents {
  readonly #log: LogRecords;

  constructor(log: LogRecords) {
    this.#log = log;
  }

  feed(options: FeedOptions): Feed {
    return new LogFeed(this.#log, options, true);
  }

  async resolve(after: string): Promise<string> {
    if (placeIn(after) !== undefined || !EVENT_ID.test(after)) return after;
    const { n } = await this.#log.find(after);
    return n === undefined ? after : placeText(n);
  }

  seqOf(position: string): number {
    return placeIn(position) ?? 0;
  }

  idBefore(position: string): string {
    return placeText(Math.max(0, this.seqOf(position) - 1));
  }

  async find(id: string, owner: string): Promise<Entry | undefined> {
    const { n } = await this.#log.find(id, owner);
    const record = n === undefined ? undefined : await this.#log.at(n, owner);
    if (record?.id !== id || !record.name) return undefined;
    return { ...this.#log.entryOf(record), place: placeText(record.n) };
  }

  isDeleted(session: string, position: string): boolean {
    return this.#log.isDeleted({ session, n: this.seqOf(position) });
  }
}
