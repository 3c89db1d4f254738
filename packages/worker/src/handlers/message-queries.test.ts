import { LIMITS } from '@chat-web/protocol';
import { describe, expect, it } from 'vitest';
import { freshHandlers } from '../testing/fake-page.ts';
import { messageQueryHandlers } from './message-queries.ts';

const BEN = '12025550102@c.us';
const messageId = `true_${BEN}_3EB0`;
const message = { id: 'main', messageId };

const { context, handlers } = freshHandlers(messageQueryHandlers);

describe('reactions, votes and receipts', () => {
  it('are cut to the limits', async () => {
    context.page.on('listReactions', () => [
      { from: BEN, emoji: 'x'.repeat(200), atMs: 8.6e15 },
      { from: BEN, emoji: '👍', atMs: -1 },
    ]);
    expect(await handlers.listReactions(message)).toEqual([
      { from: BEN, emoji: 'x'.repeat(100), at: LIMITS.time },
      { from: BEN, emoji: '👍', at: 0 },
    ]);
    const options = ['o'.repeat(2_000), ...Array.from({ length: 149 }, (_, n) => `option ${n}`)];
    context.page.on('listPollVotes', () => [{ from: BEN, options, at: 1_800_000_000_999 }]);
    const cut = ['o'.repeat(1_000), ...options.slice(1, 100)];
    expect(await handlers.listPollVotes(message)).toEqual([{ from: BEN, options: cut, at: 1_800_000_000 }]);
    const read = [{ id: BEN, at: 1e300 }];
    context.page.on('listReceipts', () => ({ delivered: [], read, played: undefined, remaining: 1e300 }) as never);
    const receipts = { delivered: [], read: [{ id: BEN, at: LIMITS.time }], played: [], remaining: LIMITS.time };
    expect(await handlers.listReceipts(message)).toEqual(receipts);
  });

  it('are left out if invalid; the others are listed', async () => {
    const one = { from: BEN, emoji: '👍', atMs: 1_000 };
    const rows = [{ ...one, from: 'a\nb' }, { ...one, from: 'x'.repeat(301) }, { ...one, emoji: '' }, null, one];
    context.page.on('listReactions', () => rows as never);
    expect(await handlers.listReactions(message)).toEqual([{ from: BEN, emoji: '👍', at: 1 }]);
    const vote = { from: BEN, options: ['Friday'], at: 1_000 };
    context.page.on('listPollVotes', () => [{ ...vote, options: [] }, { ...vote, at: Number.NaN }, vote]);
    expect(await handlers.listPollVotes(message)).toEqual([{ ...vote, at: 1 }]);
  });
});
