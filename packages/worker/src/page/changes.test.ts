import { beforeEach, describe, expect, it, vi } from 'vitest';
import { freshProgram, stubPage } from '../testing/page-registry.ts';
import type { PageMessage } from './models.ts';

type Listener = (...args: unknown[]) => void;

let changes: typeof import('./changes.ts');
let tools: typeof import('./tools/changes.ts');

/** The changes that the page reports, without times. */
let reported: { name: string; data: Record<string, unknown> }[];
let listeners: Map<string, Listener[]>;
let stored: unknown[];
const id = (text: string) => ({ toString: () => text });
const key = { ...id('true_b@c.us_1'), remote: id('b@c.us'), id: '1', fromMe: true };
const row = (more: object = {}) => ({
  reactionParentKey: key,
  reactionText: '👍',
  reactionTimestamp: 1_800_000_000_000,
  from: id('b@c.us'),
  ...more,
});
const emitter = (name: string) => ({
  on: (event: string, listener: Listener) => {
    listeners.set(`${name} ${event}`, [...(listeners.get(`${name} ${event}`) ?? []), listener]);
  },
});
const trigger = async (event: string, ...args: unknown[]) => {
  for (const listener of listeners.get(event) ?? []) listener(...args);
  await vi.advanceTimersByTimeAsync(1_000);
};

/** A page with these messages, and these tables of reactions and votes. */
function page(
  messages: readonly object[],
  reactionTableMode: object | undefined,
  pollVoteTableMode?: object,
  calls: object = emitter('Call'),
) {
  const chat = { id: id('b@c.us'), archive: true, pin: 0, unreadCount: -1, mute: { expiration: -1 } };
  const loadMessages = vi.fn(async () => ({ messages: [{ pollOptions: [{ name: 'A' }, { name: 'B' }] }] }));
  const own = {
    WAWebCollections: {
      Msg: {
        ...emitter('Msg'),
        getModelsArray: () => [...messages],
        get: (id: string) => messages.find((message) => String((message as PageMessage).id) === id),
        getMessagesById: loadMessages,
        processMultipleMessages: (_chatId: unknown, records: unknown) => ({ records }),
      },
      Chat: { ...emitter('Chat'), get: () => chat },
      Mute: emitter('Mute'),
    },
    ...(reactionTableMode && { WAWebAddonReactionTableMode: { reactionTableMode } }),
    ...(pollVoteTableMode && { WAWebAddonPollVoteTableMode: { pollVoteTableMode } }),
    WAWebCallCollection: calls,
  };
  const chatWebSignal = (json: string) => {
    const { is: _, happenedAt: __, ...change } = JSON.parse(json);
    reported.push(change);
  };
  const modules = stubPage(own, { me: 'me@c.us', window: { chatWebSignal } });
  changes.listenToChanges();
  return { chat, modules, loadMessages };
}

freshProgram();
beforeEach(async () => {
  changes = await import('./changes.ts');
  tools = await import('./tools/changes.ts');
  vi.useFakeTimers();
  [reported, stored, listeners] = [[], [], new Map()];
});

describe('the table of reactions', () => {
  const table = () => ({ bulkUpsert: (rows: unknown) => stored.push(rows) as unknown });

  it('stores its rows, even if our listener fails', async () => {
    const mode = table();
    page([], mode);
    for (const rows of [[row()], [null], undefined, [{}], [row({ reactionParentKey: {} })]])
      expect(mode.bulkUpsert(rows)).toBe(stored.length);
    await vi.advanceTimersByTimeAsync(10);
    expect(stored).toHaveLength(5);
    expect(reported.map(({ data }) => data.messageId)).toContain('true_b@c.us_1');
  });

  it('reports each row with its id', async () => {
    const [mode, votes] = [table(), table()];
    page([], mode, votes);
    mode.bulkUpsert([row({ id: { id: 'A1' } }), row()]);
    const vote = { pollUpdateParentKey: key, selectedOptionLocalIds: [1], from: id('b@c.us') };
    votes.bulkUpsert([{ ...vote, id: { id: 'B2' }, senderTimestampMs: Date.now() }]);
    await vi.advanceTimersByTimeAsync(10);
    expect(reported).toMatchObject([{ row: 'A1' }, {}, { name: 'poll_vote', row: 'B2' }]);
    expect(reported[1]).not.toHaveProperty('row');
  });

  it('marks what the account itself has done', async () => {
    const [mode, votes] = [table(), table()];
    page([{ id: key, pollOptions: [{ name: 'A' }] }], mode, votes);
    mode.bulkUpsert([row({ from: id('me@c.us') }), row()]);
    votes.bulkUpsert([{ pollUpdateParentKey: key, from: id('me@c.us'), senderTimestampMs: Date.now() }]);
    await vi.advanceTimersByTimeAsync(10);
    expect(reported.map(({ data }) => data.fromMe)).toEqual([true, undefined, true]);
  });

  it('is listened to once, even if it loads later', async () => {
    const { modules } = page([], undefined);
    const mode = table();
    modules.WAWebAddonReactionTableMode = { reactionTableMode: mode };
    changes.listenToChanges();
    changes.listenToChanges();
    mode.bulkUpsert([row()]);
    await vi.advanceTimersByTimeAsync(10);
    expect(reported).toHaveLength(1);
  });

  const hourMs = 3_600_000;
  const at = (time: number, more: object = {}) => row({ reactionTimestamp: time, ...more });

  it('also gets history and old rows: only those of the last hour are reported', async () => {
    const mode = table();
    page([], mode);
    const now = Date.now();
    const t = Math.floor(now / 1_000);
    mode.bulkUpsert([
      at(now - 2 * hourMs),
      at(now - 0.9 * hourMs, { reactionText: 'recent' }),
      // The sender's clock is wrong: the network's counts.
      at(now - 9 * hourMs, { t, reactionText: 'late clock' }),
      at(now, { t: t - 7_200 }),
      row({ reactionTimestamp: undefined }),
    ]);
    await vi.advanceTimersByTimeAsync(10);
    expect(reported.map(({ data }) => data.emoji)).toEqual(['recent', 'late clock']);
  });

  it('reports rows that arrive late after a session was down, but not forever', async () => {
    const mode = { ...table(), bulkGetByParentMsgKey: async () => [] };
    page([], mode);
    const now = Date.now();
    await changes.changesSince(now - 5 * hourMs, 10);
    mode.bulkUpsert([at(now - 6 * hourMs), at(now - 4 * hourMs, { reactionText: 'late' })]);
    await vi.advanceTimersByTimeAsync(hourMs);
    mode.bulkUpsert([at(now - 4 * hourMs, { reactionText: 'again' })]);
    await vi.advanceTimersByTimeAsync(10);
    expect(reported.map(({ data }) => data.emoji)).toEqual(['late']);
  });

  it('gets own rows before the network has them: they are reported with their ack, unless it is an error', async () => {
    const mode = { ...table(), updateAck: (_: object, ack: number) => ack };
    page([], mode);
    const own = (emoji: string, ack: number) => row({ id: { ...key, fromMe: true }, reactionText: emoji, ack });
    mode.bulkUpsert([
      own('sent', 0),
      own('refused', 0),
      own('of the phone', 1),
      row({ ack: 0, id: { fromMe: false } }),
    ]);
    await vi.advanceTimersByTimeAsync(10);
    expect(reported.map(({ data }) => data.emoji)).toEqual(['of the phone', '👍']);
    expect(mode.updateAck(own('refused', -1), -1)).toBe(-1);
    mode.updateAck(own('sent', 1), 1);
    await vi.advanceTimersByTimeAsync(10);
    expect(reported.map(({ data }) => data.emoji)).toEqual(['of the phone', '👍', 'sent']);

    const all = [own('refused', -1), own('sent', 1), own('on its way', 0)];
    Object.assign(mode, { bulkGetByParentMsgKey: async () => all });
    expect((await changes.changesSince(0, 10)).map(({ data }) => data.emoji)).toEqual(['sent']);
  });

  it('may be frozen: everything else is reported', async () => {
    const { chat } = page([], Object.freeze(table()));
    await trigger('Chat change:pin', chat);
    expect(reported).toHaveLength(1);
  });
});

describe('an edit', () => {
  const edited = (body: string, more: object = {}) => ({
    id: { ...key, remote: id('b@c.us') },
    from: id('me@c.us'),
    type: 'chat',
    body,
    ack: 1,
    t: 1_800_000_000,
    latestEditSenderTimestampMs: 1_800_000_000_000,
    ...more,
  });
  const bodies = () => reported.map(({ data }) => data.body);
  const stored = async () => (await changes.changesSince(0, 10)).filter(({ name }) => name === 'message_edited');

  it('of this page is reported once the network has it; a failed one only after a successful retry', async () => {
    const message = edited('mine') as { isSendFailure?: boolean };
    page([message], undefined);
    for (const hasFailed of [true, false]) {
      const edit = tools.whileEditing(message as PageMessage, async () => {
        await trigger('Msg change:latestEditMsgKey', message);
        expect(await stored()).toEqual([]);
        message.isSendFailure = hasFailed;
        await trigger('Msg change:isSendFailure', message);
        expect(bodies()).toEqual([]);
      });
      await edit;
      await vi.advanceTimersByTimeAsync(10);
      expect(bodies()).toEqual(hasFailed ? [] : ['mine']);
      expect(await stored()).toHaveLength(hasFailed ? 0 : 1);
    }
    reported = [];
    await trigger('Msg change:isSendFailure', message);
    expect(bodies()).toEqual(['mine']);
  });

  it('of this page that never ends does not block later ones', async () => {
    const message = edited('of the phone');
    page([message], undefined);
    void tools.whileEditing(message as unknown as PageMessage, () => new Promise(() => {}));
    await trigger('Msg change:latestEditMsgKey', message);
    expect(bodies()).toEqual([]);
    await vi.advanceTimersByTimeAsync(120_000);
    await trigger('Msg change:latestEditMsgKey', message);
    expect(bodies()).toEqual(['of the phone']);
    expect(await stored()).toHaveLength(1);
  });

  it('is only reported with a text, which may be an empty caption', async () => {
    page([], undefined);
    await trigger('Msg change:latestEditMsgKey', edited('', { body: undefined }));
    await trigger('Msg change:latestEditMsgKey', edited('a thumbnail', { directPath: '/v', caption: undefined }));
    expect(bodies()).toEqual(['']);
  });

  it('of another device is reported at once, even after a failed one of this page', async () => {
    page([], undefined);
    await trigger('Msg change:latestEditMsgKey', edited('of the phone', { isSendFailure: true }));
    expect(bodies()).toEqual(['of the phone']);
  });
});

it('the poll of an old vote is not loaded', async () => {
  const votes = { bulkUpsert: () => {} };
  const { loadMessages } = page([], undefined, votes);
  const cast = { pollUpdateParentKey: key, selectedOptionLocalIds: [1], from: id('b@c.us') };
  const store = votes.bulkUpsert as (rows: object[]) => void;
  store([{ ...cast, senderTimestampMs: Date.now() - 7_200_000 }]);
  expect(loadMessages).not.toHaveBeenCalled();
  store([{ ...cast, senderTimestampMs: Date.now() }]);
  await vi.advanceTimersByTimeAsync(10);
  expect(loadMessages).toHaveBeenCalledTimes(1);
  expect(reported).toMatchObject([{ name: 'poll_vote', data: { options: ['B'] } }]);
});

it('a chat is reported once for simultaneous changes, and not for each message', async () => {
  const { chat } = page([], undefined);
  for (const event of ['change:archive', 'change:pin']) for (const on of listeners.get(`Chat ${event}`) ?? []) on(chat);
  await trigger('Mute change:expiration', { id: chat.id });
  const data = { chatId: 'b@c.us', unreadCount: -1, archived: true, pinned: false, mutedUntil: -1 };
  expect(reported).toEqual([{ name: 'chat_updated', data }]);
  await trigger('Chat change:unreadCount', chat, 3);
  expect(reported).toHaveLength(1);
  await trigger('Chat change:unreadCount', chat, 0);
  expect(reported).toHaveLength(2);
});

describe('a change of a message that is not in memory', () => {
  const keyOf = (chat: string, stanza: string, participant?: string, fromMe = false) => ({
    ...id([fromMe, chat, stanza, ...(participant ? [participant] : [])].join('_')),
    fromMe,
    remote: id(chat),
    id: stanza,
    participant: participant && id(participant),
  });
  const record = (subtype: string, key: object, protocolMessageKey: object, more: object = {}) => ({
    id: key,
    type: 'protocol',
    subtype,
    protocolMessageKey,
    isNewMsg: true,
    t: 1_800_000_000,
    ...more,
  });
  const process = async (messages: object[], records: unknown) => {
    const { modules } = page(messages, undefined);
    const { Msg } = modules.WAWebCollections as { Msg: { processMultipleMessages(...args: unknown[]): unknown } };
    expect(Msg.processMultipleMessages('chat', records)).toEqual({ records });
    await vi.advanceTimersByTimeAsync(10);
    return reported.map(({ name, data }) => ({ name, ...data }));
  };
  const ofBen = record('sender_revoke', keyOf('b@c.us', 'new'), keyOf('b@c.us', 'old'), { from: id('b@c.us') });

  it('is reported, with who deleted it', async () => {
    const inGroup = keyOf('1@g.us', 'n', 'a@c.us');
    const byAdmin = record('admin_revoke', inGroup, keyOf('1@g.us', 'o', 'b@c.us'), { author: id('a@c.us') });
    const own = record('sender_revoke', keyOf('b@c.us', 'p', '', true), keyOf('b@c.us', 'q', '', true));
    const name = 'message_revoked';
    expect(await process([], [null, ofBen, byAdmin, own])).toEqual([
      { name, id: 'false_b@c.us_old', chatId: 'b@c.us', from: 'b@c.us', by: 'b@c.us' },
      { name, id: 'false_1@g.us_o_b@c.us', chatId: '1@g.us', from: 'b@c.us', by: 'a@c.us' },
      { name, id: 'true_b@c.us_q', chatId: 'b@c.us', from: 'me@c.us', by: 'me@c.us', fromMe: true },
    ]);
  });

  it.each([
    ['history', { ...ofBen, isNewMsg: false }],
    ['of another subtype', { ...ofBen, subtype: 'message_edit' }],
    ["of the account's own message", { ...ofBen, protocolMessageKey: keyOf('b@c.us', 'old', '', true) }],
    ['of another chat', { ...ofBen, protocolMessageKey: keyOf('c@c.us', 'old') }],
    ['of an admin where there is none', { ...ofBen, subtype: 'admin_revoke' }],
    ["of another's message", record('sender_revoke', keyOf('1@g.us', 'n', 'a'), keyOf('1@g.us', 'o', 'b'))],
  ])('is not reported if the deletion is %s', async (_, one) => {
    expect(await process([], [one])).toEqual([]);
  });

  it.each(['old', 'new'])('is not reported if it is in memory under another id of the chat, as %s', async (stanza) => {
    expect(await process([{ id: keyOf('7@lid', stanza) }], [ofBen])).toEqual([]);
    expect(await process([], undefined)).toEqual([]);
  });

  it('is reported with the new text of the latest edit', async () => {
    const parentMsg = { id: keyOf('b@c.us', 'old'), from: id('b@c.us'), type: 'chat', body: 'teh' };
    const held = { ...parentMsg, id: keyOf('b@c.us', 'held') };
    const { modules } = page([held], undefined);
    const edits = { updateEditedMessagesAction: (items: unknown) => items };
    modules.WAWebUpdateEditedMessagesAction = edits;
    changes.listenToChanges();
    const editedMsgData = { body: 'the', latestEditSenderTimestampMs: 1_800_000_000_000 };
    const items = [
      { parentMsg: held, editedMsgData, isLatest: true },
      { parentMsg, editedMsgData: { ...editedMsgData, body: 'later overtaken' }, isLatest: false },
      { parentMsg, editedMsgData, isLatest: true },
    ];
    expect(edits.updateEditedMessagesAction(items)).toBe(items);
    await vi.advanceTimersByTimeAsync(10);
    expect(reported).toMatchObject([{ name: 'message_edited', data: { id: 'false_b@c.us_old', body: 'the' } }]);
  });
});

describe('a notice in a group', () => {
  const notice = (subtype: string, more: object = {}) => ({
    id: { ...id('n'), remote: id('1@g.us') },
    type: 'gp2',
    isNewMsg: true,
    subtype,
    author: id('a@c.us'),
    t: 1,
    ...more,
  });

  it.each([
    ['add', { recipients: [id('b@c.us')] }, 'group_joined', ['b@c.us']],
    ['create', {}, 'group_joined', ['me@c.us']],
    ['leave', {}, 'group_left', ['a@c.us']],
    ['membership_approval_request', {}, 'group_request', ['a@c.us']],
    ['created_membership_requests', { templateParams: ['a', '7@s.whatsapp.net'] }, 'group_request', ['7@c.us']],
    ['picture', {}, 'group_updated', []],
  ])('of %s %j is %s of %j', async (subtype, more, name, participants) => {
    page([], undefined);
    await trigger('Msg add', notice(subtype, more));
    expect(reported).toMatchObject([{ name, data: { id: 'n', groupId: '1@g.us', by: 'a@c.us', participants } }]);
  });
});

it('an incoming call is reported once, when it rings; an outgoing one is not', async () => {
  page([], undefined);
  const call = { id: 'c', peerJid: id('b:7@c.us'), groupJid: null, getState: () => 3 };
  await trigger('Call change:activeCall', call);
  await trigger('Call change:activeCall', call);
  await trigger('Call change:activeCall', { ...call, outgoing: true });
  await trigger('Call change:activeCall', { ...call, getState: () => 6 });
  await trigger('Call change:activeCall', null);
  expect(reported).toMatchObject([
    { name: 'call', data: { id: 'c', chatId: 'b@c.us', from: 'b@c.us', state: 'ringing', group: false } },
  ]);
});

it('calls that the page shows in turn are reported once each', async () => {
  page([], undefined);
  const call = (name: string) => ({ id: name, peerJid: id('b@c.us'), groupJid: null, getState: () => 3 });
  for (const one of [call('c'), call('d'), call('c')]) await trigger('Call change:activeCall', one);
  expect(reported.map(({ data }) => (data as { id: string }).id)).toEqual(['c', 'd']);
});

it('a call is only reported as ongoing in a group: for two people, the page also says so while ringing', async () => {
  page([], undefined);
  for (const chat of ['b@c.us', '1@g.us']) {
    const entry = { id: { ...id(chat), remote: id(chat), id: chat }, type: 'call_log', callCreator: id('b@c.us') };
    await trigger('Msg add', { ...entry, callOutcome: 'Ongoing', t: Math.floor(Date.now() / 1_000) });
  }
  expect(reported).toMatchObject([{ name: 'call', data: { id: '1@g.us', state: 'ongoing', group: true } }]);
});

it('a call is reported in a page without a call engine, which creates it from the incoming data', async () => {
  const call = { id: 'c', peerJid: id('b@c.us'), isGroup: false, getState: () => null };
  const taken = vi.fn(function (this: unknown, _incoming: unknown) {
    return this === calls ? call : undefined;
  });
  const calls = { ...emitter('Call'), processIncomingCall: taken };
  page([], undefined, undefined, calls);
  expect(calls.processIncomingCall({ id: 'offer' })).toBe(call);
  expect(taken).toHaveBeenCalledWith({ id: 'offer' });
  await vi.advanceTimersByTimeAsync(10);
  expect(reported).toMatchObject([{ name: 'call', data: { id: 'c', from: 'b@c.us', state: 'ringing' } }]);
});

it('the newest changes since a time are read in order, even if reading reactions hangs', async () => {
  const sent = (n: number) => ({
    id: { ...id(`m${n}`), remote: id('b@c.us'), fromMe: true },
    from: id('me@c.us'),
    type: 'chat',
    ack: 1,
    t: 1_800_000_000 + n,
  });
  const never = { bulkUpsert: () => {}, bulkGetByParentMsgKey: () => new Promise(() => {}) };
  page([sent(3), sent(1), {}, sent(2), { ...sent(4), ack: 0 }], never);
  const read = changes.changesSince(1_800_000_001_500, 1);
  await vi.advanceTimersByTimeAsync(11_000);
  expect((await read).map(({ data }) => String(data.id))).toEqual(['m3']);
});
