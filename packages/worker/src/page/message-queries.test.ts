import { afterEach, describe, expect, it, vi } from 'vitest';
import { listPollVotes, listReactions, listReceipts } from './message-queries.ts';
import { installChangeTools } from './tools/changes.ts';
import { installIdTools } from './tools/identities.ts';

const id = (text: string) => ({ toString: () => text });
const createWid = (text: string) => {
  if (!/^\w+@[\w.]+$/.test(text)) throw new Error('invalid wid');
  return id(text);
};

/** A page with these modules, and a message with these fields by any id. */
function page(modules: Record<string, unknown>, message: object = {}, tools: object = {}): void {
  const all: Record<string, unknown> = {
    WAWebWidFactory: { createWid },
    WAWebMsgKey: class {},
    WAWebUserPrefsMeUser: { getMaybeMePnUser: () => undefined, getMaybeMeLidUser: () => undefined },
    WAWebCollections: {},
    ...modules,
  };
  const key = { ...id('true_1@c.us_A'), fromMe: true, remote: id('1@c.us') };
  const found = { id: key, type: 'chat', ...message };
  const chatWebTools = { findMessage: async () => found, isDeliverable: () => true };
  vi.stubGlobal('window', { chatWebTools, require: (name: string) => all[name] });
  installIdTools(Number.POSITIVE_INFINITY);
  installChangeTools();
  Object.assign((globalThis as never as { window: { chatWebTools: object } }).window.chatWebTools, tools);
}
afterEach(() => vi.unstubAllGlobals());

describe('a row that cannot be read costs nobody the others', () => {
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
    const told = { delivered: [{ id: '2@c.us', at: 1 }], read: [], played: [], remaining: 0 };
    expect(await listReceipts('m')).toEqual(told);
  });
});
