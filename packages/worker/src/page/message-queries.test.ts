import { describe, expect, it, vi } from 'vitest';
import { stubPage } from '../testing/page-registry.ts';
import { Wid } from '../testing/wid.ts';
import {
  listMessages,
  listPollVotes,
  listReactions,
  listReceipts,
  pinMessage,
  searchMessages,
  starMessage,
} from './message-queries.ts';

const id = (text: string) => ({ toString: () => text });
const createWid = (text: string) => {
  if (!/^\w+@[\w.]+$/.test(text)) throw new Error('invalid wid');
  return new Wid(text);
};

/** A page with these modules, a message with these fields for any id, and a person whom it knows by two ids. */
function page(modules: Record<string, unknown>, message: object = {}): void {
  const key = { ...id('true_1@c.us_A'), fromMe: true, remote: id('1@c.us') };
  const Msg = { get: () => ({ id: key, type: 'chat', ...message }) };
  const Chat = { get: (one: unknown) => (['1@c.us', '9@lid'].includes(String(one)) ? chat : undefined) };
  const own = {
    WAWebWidFactory: { createWid },
    WAWebLidMigrationUtils: { getAlternateMsgKey: () => id('the other key') },
    ...modules,
    WAWebCollections: { Msg, Chat, ...(modules.WAWebCollections as object | undefined) },
  };
  stubPage(own, { people: [{ number: '1@c.us', lid: '9@lid' }] });
}

/** The ids of a page of messages. */
const idsIn = (found: Awaited<ReturnType<typeof listMessages>>) => found.models.map((model) => model?.id);

describe('an unreadable row does not fail the others', () => {
  it('reactions', async () => {
    const sender = (senderUserJid: unknown) => ({ senderUserJid, reactionText: '👍', timestamp: 1 });
    const reactions = [
      { senders: [sender('2@c.us'), sender('nobody'), null] },
      null,
      {},
      { senders: [sender('3@c.us')] },
    ];
    page({ WAWebDBGetReactions: { getReactions: async () => ({ reactions }) } });
    expect(await listReactions('m')).toEqual(['2@c.us', '3@c.us'].map((from) => ({ from, emoji: '👍', atMs: 1 })));
  });

  it('votes', async () => {
    const vote = { pollUpdateParentKey: { ...id('p'), remote: id('1@c.us') }, senderTimestampMs: 1_700_000_000_000 };
    const rows = [
      { ...vote, from: id('2@c.us'), selectedOptionLocalIds: null },
      null,
      { ...vote, from: id('3@c.us'), selectedOptionLocalIds: [0] },
    ];
    const pollVoteTableMode = { bulkGetByParentMsgKey: async () => rows };
    page({ WAWebAddonPollVoteTableMode: { pollVoteTableMode } }, { pollOptions: [{ name: 'Friday', localId: 0 }] });
    expect(await listPollVotes('m')).toMatchObject([{ from: '3@c.us', options: ['Friday'], at: 1_700_000_000_000 }]);
  });

  it('receipts', async () => {
    const queryMsgInfo = async () => ({
      delivery: [{ id: id('2@c.us'), t: 1 }, null],
      read: null,
      deliveryRemaining: 0,
    });
    page({ WAWebApiMessageInfoStore: { queryMsgInfo } });
    const receipts = { delivered: [{ id: '2@c.us', at: 1 }], read: [], played: [], remaining: 0 };
    expect(await listReceipts('m')).toEqual(receipts);
  });
});

it('own reactions and votes that failed or are being sent are not listed', async () => {
  const sender = (msgKey: string, ack?: number | null) => ({
    msgKey,
    ack,
    senderUserJid: `${msgKey.length}@c.us`,
    reactionText: '👍',
    timestamp: 1,
  });
  const senders = [sender('true_b', 0), sender('true_bb', -1), sender('true_bbb', 1), sender('false_bbb', 0)];
  page({ WAWebDBGetReactions: { getReactions: async () => ({ reactions: [{ senders }] }) } });
  expect(await listReactions('m')).toMatchObject([{ from: '8@c.us' }, { from: '9@c.us' }]);

  const vote = (fromMe: boolean, ack: number) => ({
    id: { ...id('v'), fromMe },
    ack,
    from: id(`${ack}@c.us`),
    senderTimestampMs: 1,
    selectedOptionLocalIds: [0],
    pollUpdateParentKey: { ...id('p'), remote: id('1@c.us') },
  });
  const rows = [vote(true, 0), vote(true, 1), vote(false, 0)];
  const pollVoteTableMode = { bulkGetByParentMsgKey: async () => rows };
  page({ WAWebAddonPollVoteTableMode: { pollVoteTableMode } }, { pollOptions: [{ name: 'Friday', localId: 0 }] });
  expect(await listPollVotes('m')).toMatchObject([{ from: '1@c.us' }, { from: '0@c.us' }]);
});

it.each([
  ['1@c.us', 1, [0, 0, 1, 1], 0],
  ['1@c.us', 1, [1, 1, 1, -2], 0],
  // The page calculates 10 − 6 − 8.
  ['status@broadcast', 10, [0, 6, 8, -4], 2],
  ['1@g.us', 10, [0, 6, 2, 2], 2],
] as const)(
  'the people that a message in %s has not reached are counted without its readers',
  async (remote, all, counts, remaining) => {
    const [played, read, delivery] = counts.map((count) =>
      Array.from({ length: Math.max(0, count) }, (_, n) => ({ id: id(`${n}@c.us`), t: 1 })),
    );
    const info = { played, read, delivery, playedRemaining: all - counts[0], deliveryRemaining: counts[3] };
    page(
      { WAWebApiMessageInfoStore: { queryMsgInfo: async () => info } },
      { id: { ...id('A'), fromMe: true, remote: id(remote) } },
    );
    expect(await listReceipts('A')).toMatchObject({ remaining });
  },
);

/** A chat by hidden id with a person whose number is known. */
const chat = { id: id('9@lid'), endOfHistoryTransferType: 1 };
describe('the messages of a chat', () => {
  /** A chat with rows of these types, oldest first. Returns the requested counts of the reads. */
  function chatOf(types: readonly string[], readMs = 0): number[] {
    const rows = types.map((type, n) => ({ id: { ...id(`${n}`), remote: chat.id }, type }));
    const reads: number[] = [];
    const msgFindByDirection = async (what: { anchor: object; count: number; direction: string }) => {
      reads.push(what.count);
      vi.setSystemTime(Date.now() + readMs);
      const at = rows.findIndex((row) => String(row.id) === String(what.anchor));
      if (what.direction === 'after') return { messages: rows.slice(at + 1, at + 1 + what.count), status: 200 };
      const end = at < 0 ? rows.length : at;
      return { messages: rows.slice(Math.max(0, end - what.count), end), status: 200 };
    };
    page({ WAWebDBMessageFindLocal: { msgFindByDirection } }, { id: { ...id('0'), remote: id('1@c.us') } });
    return reads;
  }
  const notices = (count: number) => Array.from({ length: count }, () => 'gp2');

  it('are found past any number of notices', async () => {
    const reads = chatOf(['chat', 'chat', ...notices(900)]);
    const newest = await listMessages('1@c.us', {}, 1, 10_000);
    expect([idsIn(newest), newest]).toMatchObject([['1'], { hasMore: true }]);
    expect(reads.slice(0, 3)).toEqual([2, 100, 100]);
    const all = await listMessages('1@c.us', {}, 2, 10_000);
    expect([idsIn(all), all]).toMatchObject([['0', '1'], { hasMore: false }]);
  });

  it('are returned in part after the time limit; none yet is an error', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    chatOf([...notices(500), 'chat'], 4_000);
    const part = await listMessages('1@c.us', {}, 2, 10_000);
    expect([idsIn(part), part]).toMatchObject([['500'], { hasMore: true }]);
    chatOf(['chat', ...notices(500)], 4_000);
    await expect(listMessages('1@c.us', {}, 2, 10_000)).rejects.toMatchObject({ code: 'client_failed' });
  });

  it('match the person by number or hidden id', async () => {
    chatOf(['chat', 'chat', 'chat']);
    for (const one of ['1@c.us', '9@lid']) {
      const later = await listMessages(one, { after: '0' }, 5, 10_000);
      expect([idsIn(later), later]).toMatchObject([['1', '2'], { hasMore: false }]);
    }
    await expect(listMessages('2@c.us', {}, 5, 10_000)).rejects.toMatchObject({ code: 'chat_not_found' });
  });
});

describe('a search', () => {
  const rows = [1, 2, 2].map((t, n) => ({ id: id(`${n}`), type: 'chat', t }));
  const post = { id: id('post'), type: 'chat', t: 3, isGroupStatus: true };
  const found = { messages: [...rows, post], eof: false, canceled: false };
  const newestFirst = { models: [{ id: '2' }, { id: '1' }, { id: '0' }], hasMore: true };

  it('uses the index, not the cache of the page', async () => {
    const msgFindSearch = vi.fn(async () => ({ ...found, status: 200 }));
    page({ WAWebDBMessageFindLocal: { msgFindSearch } });
    expect(await searchMessages('word', '9@lid', 2, 10, 1_000)).toMatchObject(newestFirst);
    expect(msgFindSearch).toHaveBeenCalledWith({ searchTerm: 'word', page: 2, count: 10, remote: chat.id });
    msgFindSearch.mockResolvedValue({ messages: [], eof: true, canceled: false, status: 404 });
    expect(await searchMessages('word', undefined, 1, 10, 1_000)).toEqual({ models: [], hasMore: false });
    msgFindSearch.mockResolvedValue({ messages: [], eof: true, canceled: false, status: 500 });
    await expect(searchMessages('word', undefined, 1, 10, 1_000)).rejects.toThrow('500');
  });

  it('ends if the index does not answer', async () => {
    page({ WAWebDBMessageFindLocal: { msgFindSearch: () => new Promise(() => {}) } });
    await expect(searchMessages('word', undefined, 1, 10, 10)).rejects.toMatchObject({
      code: 'client_failed',
      message: expect.stringContaining('retry later'),
    });
  });

  it('uses the collection in a build without the index', async () => {
    const search = vi.fn(async () => found);
    page({ WAWebCollections: { Msg: { search } } });
    expect(await searchMessages('word', undefined, 1, 10, 1_000)).toMatchObject(newestFirst);
    expect(search).toHaveBeenCalledWith('word', 1, 10, undefined);
  });
});

const oneDay = { name: 'OneDay', seconds: 86_400 };

it('a pin that changes nothing is not sent, unless it lasts longer', async () => {
  const sent = vi.fn();
  const held = {
    pinType: 1,
    pinExpiryDuration: 86_400,
    senderTimestampMs: Date.now(),
    ack: 1,
  };
  const pinned = async (pin: object | undefined, want: boolean, message: object = {}, duration = oneDay) => {
    const PinInChatCollection = { getByParentMsgKey: () => pin };
    // The page's own check of an unsent message.
    const canPinMsg = ({ id: key, ack = 1 }: { id: { fromMe: boolean }; ack?: number }) => !key.fromMe || ack > 0;
    const modules = { WAWebPinInChatCollection: { PinInChatCollection }, WAWebMsgActionCapability: { canPinMsg } };
    page({ ...modules, WAWebSendPinMessageAction: { sendPinInChatMsg: sent } }, message);
    sent.mockClear();
    const code = await pinMessage('A', want, duration, 10).catch((error: { code: string }) => error.code);
    return [code, sent.mock.calls.length];
  };
  expect(await pinned(held, true)).toEqual([undefined, 0]);
  expect(await pinned({ ...held, pinType: 2 }, false)).toEqual([undefined, 0]);
  for (const [pin, want] of [
    [undefined, true],
    [undefined, false],
    [held, false],
    [{ ...held, pinType: 2 }, true],
    [{ ...held, ack: 0 }, true],
    [{ ...held, pinExpiryDuration: 604_800 }, true],
    [{ ...held, senderTimestampMs: Date.now() - 7_200_000 }, true],
  ] as const)
    expect(await pinned(pin, want)).toEqual([undefined, 1]);
  expect(await pinned(undefined, true, { ack: 0 })).toEqual(['not_permitted', 0]);
  const theirs = { ...id('false_1@c.us_A'), fromMe: false, remote: id('1@c.us') };
  expect(await pinned(undefined, true, { ack: 0, id: theirs })).toEqual([undefined, 1]);
});

it('a message that the page can neither star nor pin is unchanged', async () => {
  const sent = vi.fn();
  const no = { canStarMsg: () => false, canPinMsg: () => false };
  const modules = { WAWebMsgActionCapability: no, WAWebSendPinMessageAction: { sendPinInChatMsg: sent } };
  page({ ...modules, WAWebCollections: { Chat: { get: () => ({}) } } });
  await expect(starMessage('A', true)).rejects.toMatchObject({ code: 'not_permitted' });
  await expect(pinMessage('A', true, oneDay, 10)).rejects.toMatchObject({ code: 'not_permitted' });
  // `canPinMsg` reads the members of a group, which may not be loaded.
  const group = { id: id('1@g.us') };
  page({ ...modules, WAWebCollections: { Chat: { get: () => group } } }, { id: { ...id('B'), remote: group.id } });
  await pinMessage('B', true, oneDay, 10);
  expect(sent).toHaveBeenCalledTimes(1);
});

it('a chat continues if the page leaves out messages, ends if it reads none, and has no posts', async () => {
  const row = (n: number) => ({ id: { ...id(String(n)), remote: id('1@c.us') }, type: 'chat' });
  const reads = [[row(3), { ...row(4), isGroupStatus: true }], [row(2)], [row(1)], []];
  const msgFindByDirection = async () => ({ messages: reads.shift() ?? [], status: 200 });
  page({ WAWebDBMessageFindLocal: { msgFindByDirection } });
  expect(await listMessages('1@c.us', {}, 5, 10_000)).toMatchObject({
    models: [{ id: '1' }, { id: '2' }, { id: '3' }],
    hasMore: false,
  });
  expect(reads).toEqual([]);
});
