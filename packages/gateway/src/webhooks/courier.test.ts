import { deferred } from '@chat-web/protocol';
import { eventually } from '@chat-web/testing';
import { describe, expect, it } from 'vitest';
import { endOfTurn } from '../event-loop.ts';
import type { Entry, FeedOptions } from '../events/feed.ts';
import type { WebhookEvents } from '../events/webhook-events.ts';
import { Courier } from './courier.ts';

const seqIn = (position: string) => Number(position.split('-')[1]);

/** Events of some sessions, in memory. Readers are not notified of new ones. */
class Events implements WebhookEvents {
  readonly all: Entry[] = [];

  add(session: string, count: number): void {
    for (let n = 0; n < count; n += 1) {
      const text = `${this.all.filter((entry) => entry.session === session).length}`;
      this.all.push({ id: `e-${this.all.length + 1}`, event: 'message', session, at: 0, text, metadata: undefined });
    }
  }

  feed({ after = 'e-0', takes }: FeedOptions) {
    let seq = seqIn(after);
    const { all } = this;
    return {
      get position() {
        return `e-${seq}`;
      },
      get isAtEnd() {
        return seq >= all.length;
      },
      read: () => {
        const entries = all.slice(seq).filter((entry) => takes(entry.session ?? '', 'message', entry));
        seq = all.length;
        return entries;
      },
      onBegin: () => {},
      onMore: () => () => {},
    };
  }

  resolve = async (after: string) => after;
  seqOf = seqIn;
  idBefore = (position: string) => `e-${seqIn(position) - 1}`;
  find = async () => undefined;
  isDeleted = () => false;
}

describe('the courier of a webhook', () => {
  it.each(Array.from({ length: 24 }, (_, ticks) => ticks))(
    'skips nothing if its memory is full when an event has just been delivered, %i ticks after another one',
    async (ticks) => {
      const events = new Events();
      for (const session of ['main', 'shop']) events.add(session, 1);
      const firsts = { main: deferred(), shop: deferred() };
      const posted: string[] = [];
      const courier = new Courier(
        { position: 'e-0', waiting: [] },
        {
          events,
          takes: () => true,
          owner: '',
          post: async ({ session, text }) => {
            if (text === '0') await firsts[session as keyof typeof firsts].promise;
            if (session === 'main') posted.push(text);
            return { kind: 'delivered' };
          },
          save: async () => {},
          bury: async () => {},
          replays: { next: () => undefined, done: () => {} },
          onDisabled: () => {},
          retryDelaysMs: [],
          log: { error: () => {} },
        },
      );
      await endOfTurn();
      // The first events of both are in progress.
      events.add('main', 600);
      firsts.shop.resolve();
      for (let tick = 0; tick < ticks; tick += 1) await undefined;
      firsts.main.resolve();
      await eventually(() => expect(posted.at(-1)).toBe('600'));
      courier.stop();
      expect(posted).toEqual(Array.from({ length: 601 }, (_, n) => `${n}`));
    },
  );
});
