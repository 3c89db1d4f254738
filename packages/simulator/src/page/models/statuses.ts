import { Collection } from '../collection.ts';
import { Model } from '../model.ts';
import type { Wid } from '../wid.ts';
import { Msg } from './message.ts';

interface StatusAttributes {
  /** The author. */
  id: Wid;
  /** Unix seconds of the latest. */
  t: number;
  totalCount: number;
  unreadCount: number;
  msgs: Collection<Msg>;
}

export class Status extends Model<StatusAttributes> {
  static override readonly props = ['id', 't', 'totalCount', 'unreadCount', 'msgs'];

  /** Takes posts out of the feed. */
  revokeMsgs(ids: readonly string[]): void {
    const msgs = this.get('msgs');
    for (const id of ids) {
      const msg = msgs?.get(id);
      if (msg) msgs?.remove(msg);
    }
  }

  handleReadStatus(_key: object): void {
    this.set({ unreadCount: Math.max(0, (this.get('unreadCount') ?? 0) - 1) });
  }
}

/** The status feed, by author. */
export const statuses = new Collection<Status>(Status);

/** A post in the feed, by its id. */
export function findStatus(key: { toString(): string }): Msg | undefined {
  return statuses.getModelsArray().flatMap((status) => status.get('msgs')?.get(key) ?? [])[0];
}

export function addStatus(author: Wid, msg: Msg): void {
  const empty = { id: author, totalCount: 0, unreadCount: 0, msgs: new Collection<Msg>(Msg as never) };
  const status = statuses.get(author) ?? statuses.add(new Status(empty));
  const msgs = status.get('msgs');
  msgs?.add(msg);
  const isUnread = msg.get('self') === 'in' && msg.get('isNewMsg');
  status.set({
    t: msg.get('t') ?? 0,
    totalCount: msgs?.length ?? 0,
    unreadCount: (status.get('unreadCount') ?? 0) + (isUnread ? 1 : 0),
  });
}
