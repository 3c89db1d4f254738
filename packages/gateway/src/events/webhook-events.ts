import type { Entry, EventSource } from './feed.ts';

/** Events for webhooks, whose positions can be compared. */
export interface WebhookEvents extends EventSource {
  /** The position of an id, in this order. One that is not known stays as it is: a feed after it begins with a gap. */
  resolve(after: string): Promise<string>;
  /** How many positions are before this one, and the one itself. 0 if it is not known. */
  seqOf(position: string): number;
  /** The position before that of an event. */
  idBefore(position: string): string;
  /** `id`: of the event. `owner`: whose turn it is. */
  find(id: string, owner: string): Promise<Entry | undefined>;
  /** True if a session was deleted, with its events up to a position. */
  isDeleted(session: string, position: string): boolean;
}
