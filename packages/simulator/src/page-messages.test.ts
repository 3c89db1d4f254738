import { afterEach, describe, expect, it } from 'vitest';
import { poll, Tab } from './testing/tab.ts';

const [ada, ben] = ['12025550101', '12025550102'] as const;
const nora = { number: '12025550190', name: 'Nora Quist', lid: '81604523377190', hiddenNumber: true } as const;

let tab: Tab;
afterEach(() => tab[Symbol.asyncDispose]());

/** Sends a text to `a[0]`; `msg` and `result` are the two promises. */
const send = `const wid = require('WAWebWidFactory').createWid(a[0]);
  const { chat } = await require('WAWebFindChatAction').findOrCreateLatestChat(wid);
  const me = require('WAWebUserPrefsMeUser').getMaybeMePnUser();
  const MsgKey = require('WAWebMsgKey');
  const id = new MsgKey({ from: me, to: wid, id: await MsgKey.newId(), selfDir: 'out' });
  const values = { id, ack: 0, from: me, to: wid, local: true, self: 'out', t: Math.floor(Date.now() / 1000), isNewMsg: true,
    type: 'chat', body: 'hello' };
  const [msg, result] = require('WAWebSendMsgChatAction').addAndSendMsgToChat(chat, values);`;
const outcome = (ms = 20_000) => `${send}
  const end = await Promise.race([result, new Promise((resolve) => setTimeout(resolve, ${ms}, 'pending'))]);
  const { ack, isSendFailure } = await msg; return [end, ack, isSendFailure ?? false]`;

describe('a message that an account sends', () => {
  it('is never acknowledged while it is restricted, and all else works', async () => {
    tab = await Tab.linked(ada);
    await tab.phones.restrict(ada, true);
    expect(await tab.phones.account(ada)).toMatchObject({ restricted: true });
    expect(await tab.run(outcome(500), `${ben}@c.us`)).toEqual(['pending', 0, false]);
    const exists = `return String((await require('WAWebQueryExistsJob').queryWidExists(require('WAWebWidFactory').createWid(a[0]))).wid)`;
    expect(await tab.run(exists, `${ben}@c.us`)).toBe(`${ben}@c.us`);
    await tab.phones.send(ben, { to: ada, body: 'inbound' });
    const bodies = `return require('WAWebCollections').Msg.map(({ body }) => body)`;
    await poll(() => tab.run(bodies)).toContain('inbound');
    expect(await tab.phones.messages(ben, { with: ada })).toHaveLength(1);
  });

  it('advances the keys of its device, as do received messages and each login', async () => {
    tab = await Tab.linked(ada);
    const keys = async () => (await tab.phones.account(ada)).devices[0]?.keys;
    await poll(keys).toBe(1);
    await tab.run(`${send} await result`, `${ben}@c.us`);
    await poll(keys).toBe(2);
    await tab.phones.send(ben, { to: ada, body: 'inbound' });
    await poll(keys).toBe(3);
    await tab.page.reload();
    await poll(keys).toBe(4);
  });

  it('may be refused, by the network or after the server has received it', async () => {
    tab = await Tab.linked(ada);
    await tab.phones.refuse(ada, { kind: 'nack' });
    const nack = { messageSendResult: 'ERROR_UNKNOWN', ackErrorCode: 463, nack: 463 };
    expect(await tab.run(outcome(), `${ben}@c.us`)).toEqual([nack, -1, true]);
    await tab.phones.refuse(ada, { kind: 'network', code: 429 });
    expect(await tab.run(outcome(), `${ben}@c.us`)).toEqual([{ messageSendResult: 'ERROR_NETWORK' }, 0, true]);
    await tab.phones.refuse(ada, { kind: 'none' });
    expect(await tab.run(outcome(), `${ben}@c.us`)).toMatchObject([
      { messageSendResult: 'OK' },
      expect.any(Number),
      false,
    ]);
  });

  it('is too old to be edited as soon as the call that ages it has returned', async () => {
    tab = await Tab.linked(ada);
    const id = await tab.run<string>(`${send} await result; return (await msg).id.id`, `${ben}@c.us`);
    const edit = `const msg = require('WAWebCollections').Msg.getModelsArray().find((each) => each.id.id === a[0]);
      await require('WAWebSendMessageEditAction').sendMessageEdit(msg, 'changed', {}); return msg.body`;
    expect(await tab.run(edit, id)).toBe('changed');
    await tab.phones.age(id, 3_600_000);
    // Without waiting: the page has the change when the call returns.
    expect(await tab.fail(edit, id)).toMatchObject({ message: 'Cannot edit message' });
  });

  it('is revoked by a command that returns nothing, or by an action that returns a result', async () => {
    tab = await Tab.linked(ada);
    const revoke = (what: string) => `${send} await result; const list = [await msg]; ${what}`;
    const command = `return typeof require('WAWebCmd').Cmd.sendRevokeMsgs(chat, { type: 'message', list }, { clearMedia: true })`;
    expect(await tab.run(revoke(command), `${ben}@c.us`)).toBe('undefined');
    await poll(() => tab.phones.messages(ben, { with: ada })).toMatchObject([{ type: 'revoked' }]);
    const action = `const { sendRevokeMsgs } = require('WAWebChatSendMessages');
      return [await sendRevokeMsgs(chat, { type: 'message', list }, true), await sendRevokeMsgs(chat, { type: 'message', list }, true)]`;
    const answers = [[{ messageSendResult: 'OK' }], [{ messageSendResult: 'ERROR_UNKNOWN' }]];
    expect(await tab.run(revoke(action), `${ben}@c.us`)).toEqual(answers);
  });

  it('is starred by the pending call in its chat; a second call meanwhile has no effect', async () => {
    tab = await Tab.linked(ada);
    const both = `${send} await result; const list = [await msg]; const { sendStarMsgs } = require('WAWebChatSendMessages');
      const [one, other] = [true, false].map((isStarred) => sendStarMsgs(chat, list, isStarred));
      await other; return [one === other, list[0].star]`;
    expect(await tab.run(both, `${ben}@c.us`)).toEqual([true, true]);
  });

  it('is found by the index, or for a minute by a search that is cached by its text only', async () => {
    tab = await Tab.linked(ada);
    const find = `const { Msg } = require('WAWebCollections'); const { msgFindSearch } = require('WAWebDBMessageFindLocal');
      const found = async (count) => [await Msg.search('hello', 1, count), await msgFindSearch({ searchTerm: 'hello', page: 1, count })];
      return (await found(a[1])).map(({ messages, eof }) => [messages.length, eof])`;
    for (const _ of ['one', 'two']) await tab.run(`${send} await result`, `${ben}@c.us`);
    const first = [1, false];
    expect(await tab.run(find, `${ben}@c.us`, 1)).toEqual([first, first]);
    expect(await tab.run(find, `${ben}@c.us`, 9)).toEqual([first, [2, true]]);
  });
});

describe('a notice', () => {
  const channel = '120363000000000001@newsletter';
  const seen = `return require('WAWebCollections').Msg.map(({ type, isNewMsg, id, subtype, callOutcome }) =>
    ({ type, isNewMsg, remote: String(id.remote), subtype, callOutcome }))`;

  it('arrives live, and is history after a reload', async () => {
    tab = await Tab.linked(ada);
    const from = ben;
    expect(await tab.phones.notice(ada, { kind: 'call_log', from })).toMatchObject({ chat: ben });
    await tab.phones.notice(ada, { kind: 'e2e_notification', from });
    await tab.phones.notice(ada, { kind: 'notification_template', from });
    await tab.phones.notice(ada, { kind: 'newsletter', from: channel });
    const remote = `${ben}@c.us`;
    const notices = [
      // As in the real page: `isNewMsg` is not set for calls.
      { type: 'call_log', remote, callOutcome: 'Missed' },
      { type: 'e2e_notification', isNewMsg: true, remote, subtype: 'encrypt' },
      { type: 'notification_template', isNewMsg: true, remote, subtype: 'disappearing_mode' },
      { type: 'chat', isNewMsg: true, remote: channel },
    ];
    await poll(() => tab.run(seen)).toEqual(notices);
    const lists = `const { Chat, WAWebNewsletterCollection: channels } = require('WAWebCollections');
      return [Chat.getModelsArray(), channels.getModelsArray()].map((all) => all.map(({ id }) => String(id)))`;
    expect(await tab.run(lists)).toEqual([[remote], [channel]]);
    expect(await tab.phones.messages(ada)).toEqual([]);
    await tab.page.reload();
    await tab.untilSynced();
    const old = notices.map(({ isNewMsg, ...rest }) => (isNewMsg ? { ...rest, isNewMsg: false } : rest));
    expect(await tab.run(seen)).toEqual(expect.arrayContaining(old));
    await tab.phones.notice(ada, { kind: 'call_log', from, isNewMsg: true });
    await poll(() => tab.run(seen)).toContainEqual({ ...notices[0], isNewMsg: true });
  });

  it('of a channel must come from a channel, and any other must not', async () => {
    tab = await Tab.open();
    await expect(tab.phones.notice(ada, { kind: 'newsletter', from: ben })).rejects.toThrow(
      'from: must be <18 digits>',
    );
    await expect(tab.phones.notice(ada, { kind: 'call_log', from: channel })).rejects.toThrow('from: must be a person');
  });
});

describe('a person with a hidden number', () => {
  it('is known by LID only, also in the address book and in groups', async () => {
    tab = await Tab.open({ build: '2026-04' });
    await tab.phones.addAccount(nora);
    await tab.phones.contacts(ada, { save: [{ number: `${nora.lid}@lid`, name: 'Nora' }] });
    const group = await tab.phones.createGroup(ada, { subject: 'Trip', participants: [nora.number] });
    await tab.link(ada);
    await tab.phones.send(nora.number, { to: ada, body: 'hello' });
    await poll(() => tab.run(`return require('WAWebCollections').Msg.map(({ from }) => String(from))`)).toContain(
      `${nora.lid}@lid`,
    );
    const contact = `const { name, phoneNumber } = require('WAWebCollections').Contact.get(a[0]) ?? {}; return [name, phoneNumber]`;
    expect(await tab.run(contact, `${nora.lid}@lid`)).toEqual(['Nora', null]);
    expect(await tab.run(contact, `${nora.number}@c.us`)).toEqual([null, null]);
    const exists = `const { createWid } = require('WAWebWidFactory'); const { queryWidExists } = require('WAWebQueryExistsJob');
      return Promise.all(a.map(async (id) => (await queryWidExists(createWid(id)))?.wid.toString() ?? null))`;
    expect(await tab.run(exists, `${nora.lid}@lid`, `${nora.number}@c.us`)).toEqual([`${nora.lid}@lid`, null]);
    const members = `const { createWid } = require('WAWebWidFactory');
      const { participants } = await require('WAWebCollections').WAWebGroupMetadataCollection.update(createWid(a[0]));
      return participants.map(({ id }) => String(id))`;
    const found = await tab.run<string[]>(members, group.id);
    expect(new Set(found)).toEqual(new Set([`${ada}@c.us`, `${nora.lid}@lid`])); // In no order.
    expect(found).toHaveLength(2);
  });

  it('look-ups are listed with their times', async () => {
    tab = await Tab.linked(ada);
    expect((await tab.phones.account(ada)).lookUps).toEqual([]);
    await tab.run(
      `await require('WAWebQueryExistsJob').queryWidExists(require('WAWebWidFactory').createWid(a[0]))`,
      `${ben}@c.us`,
    );
    const [lookUp] = (await tab.phones.account(ada)).lookUps;
    expect(lookUp).toEqual({ jid: `${ben}@c.us`, at: expect.stringMatching(/^\d{4}-.*Z$/) });
  });
});
