import { describe, expect, it, vi } from 'vitest';
import { stubPage } from '../testing/page-registry.ts';
import { checkSend, deleteMessage, editMessage, react } from './messages.ts';
import { asRefusal } from './refusal.ts';

it.each([
  [{ messageSendResult: 'OK' }, 'everyone'],
  [undefined, 'everyone'],
  [{ messageSendResult: 'ERROR_UNKNOWN', ackErrorCode: 463 }, 'rate_limited'],
  [{ messageSendResult: 'ERROR_RATE_LIMIT' }, 'rate_limited'],
  [{ messageSendResult: 'ERROR_CANCELLED' }, 'client_failed'],
  [{ messageSendResult: 'ERROR_EXPIRED' }, 'outcome_unknown'],
])('a deletion for everyone that ends with %j: %j, and never for the account only', async (result, outcome) => {
  const sendDeleteMsgs = vi.fn();
  const message = { id: { remote: '1@c.us', fromMe: true }, type: 'chat' };
  stubPage({
    WAWebCollections: { Chat: { get: () => ({}) }, Msg: { get: () => message } },
    WAWebMsgActionCapability: { canSenderRevokeMsg: () => true, canAdminRevokeMsg: () => false },
    WAWebChatSendMessages: { sendRevokeMsgs: async () => result && [result], sendDeleteMsgs },
  });
  const deleting = deleteMessage('x', true, 10);
  if (outcome === 'everyone') expect(await deleting).toBe(outcome);
  else await expect(deleting).rejects.toMatchObject({ code: outcome });
  expect(sendDeleteMsgs).not.toHaveBeenCalled();
});

it.each([
  ['leaves a mark', 60, { isSendFailure: true }, 'outcome_unknown'],
  ['leaves a mark, of an old message,', 900, { isSendFailure: true }, 'edit_window_closed'],
  ['throws with a code', 60, Object.assign(new Error('refused'), { status: 408 }), 'client_failed'],
])('an edit that %s, %d s after it was sent: %j, %j', async (_how, seconds, failure, outcome) => {
  const message = { id: { fromMe: true, remote: '1@c.us' }, type: 'chat', t: Date.now() / 1_000 - seconds };
  const editing = async () => {
    if (failure instanceof Error) throw failure;
    Object.assign(message, failure);
  };
  const modules = {
    WAWebCollections: { Msg: { get: () => message } },
    WAWebMsgActionCapability: { canEditText: () => true, canEditCaption: () => false },
  };
  stubPage(modules, { window: { WWebJS: { editMessage: editing } } });
  const refused = await editMessage('x', 'better', undefined).catch(asRefusal);
  expect(refused).toMatchObject({ code: outcome });
});

describe('the check before a send', () => {
  const [BEN, GROUP] = ['1@c.us', '9@g.us'];
  /** A page whose network finds people with this function; without a chat with anyone. */
  const page = (queryWidExists: () => Promise<unknown>, more: object = {}) =>
    stubPage(
      { WAWebQueryExistsJob: { queryWidExists }, ...more },
      { window: { WWebJS: { getChat: async () => ({}) } } },
    );
  const found = async () => ({ wid: BEN });
  const fails = (error: object) => () => Promise.reject(error);

  it.each([
    ['status@broadcast', found, 'chat_not_found'],
    [GROUP, found, 'chat_not_found'],
    ['12025550199@c.us', async () => null, 'recipient_not_found'],
    ['12025550198@c.us', fails({ status: 429 }), 'rate_limited'],
    ['12025550198@c.us', fails({ status: 463 }), 'rate_limited'],
    ['12025550198@c.us', fails({ status: 403 }), 'not_permitted'],
    ['12025550198@c.us', fails(new Error('No LID for user')), 'recipient_not_found'],
  ])('to %s, case %#: %s', async (chatId, query, code) => {
    page(query);
    const refused = await checkSend(chatId, undefined).catch(asRefusal);
    expect(refused).toMatchObject({ code });
  });

  it('finds a blocked person, and a message that cannot be quoted', async () => {
    const chats = { Chat: { get: () => ({}) } };
    page(found, { WAWebCollections: { ...chats, Blocklist: { get: () => ({}) } } });
    await expect(checkSend(BEN, undefined)).rejects.toMatchObject({ code: 'not_permitted' });
    page(found, { WAWebCollections: chats });
    await expect(checkSend(BEN, 'A')).rejects.toMatchObject({ code: 'message_not_found' });
    const message = { id: { remote: BEN }, unsafe: () => message };
    page(found, {
      WAWebCollections: { ...chats, Msg: { get: () => message } },
      WAWebMsgReply: { canReplyMsg: () => false },
    });
    await expect(checkSend(BEN, 'A')).rejects.toMatchObject({ code: 'not_permitted' });
    await checkSend(BEN, undefined);
  });

  const people = (...list: string[]) => list.map((one) => ({ id: one }));

  it.each([
    ['a group for its admins', { participants: { getModelsArray: () => people('me@c.us', BEN) } }, 'only admins'],
    ['a community', { isParentGroup: true }, 'one of its groups'],
    ['a person', undefined, 'does not accept'],
  ])('refuses what the page does not allow: to %s', async (_to, groupMetadata, why) => {
    const chat = { id: GROUP, canSend: false, groupMetadata };
    stubPage({ WAWebCollections: { Chat: { get: () => chat } } }, { me: 'me@c.us' });
    const message = expect.stringContaining(why);
    await expect(checkSend(GROUP, undefined)).rejects.toMatchObject({ code: 'not_permitted', message });
  });

  it('loads the members of a group first: the page takes an account that is missing among them for an outsider', async () => {
    const members = people(BEN);
    const groupMetadata = { size: 2, participants: { getModelsArray: () => members } };
    const chat = {
      id: GROUP,
      groupMetadata,
      get canSend() {
        return members.length > 1;
      },
    };
    const find = async () => members.push(...people('me@c.us'));
    stubPage({ WAWebCollections: { Chat: { get: () => chat }, GroupMetadata: { find } } }, { me: 'me@c.us' });
    await checkSend(GROUP, undefined);
    expect(members).toHaveLength(2);
  });
});

it('a status is only deleted by its author, and for everyone', async () => {
  const page = (fromMe: boolean) =>
    stubPage({
      WAWebCollections: { Msg: { get: () => ({ id: { remote: 'status@broadcast', fromMe }, type: 'chat' }) } },
    });
  page(false);
  await expect(deleteMessage('x', true, 10)).rejects.toMatchObject({ code: 'not_permitted' });
  page(true);
  await expect(deleteMessage('x', false, 10)).rejects.toThrow('only be deleted for everyone');
});

describe('a message of a group whose members are not in memory', () => {
  /** The page allows a deletion for everyone only once it knows the members. */
  function page(find: (members: object[]) => Promise<unknown>) {
    const members: { id: string }[] = [];
    const participants = { getModelsArray: () => members };
    const chat = { id: '9@g.us', groupMetadata: { participants } };
    const sent = { sendRevokeMsgs: vi.fn(async () => [{ messageSendResult: 'OK' }]), sendDeleteMsgs: vi.fn() };
    stubPage(
      {
        WAWebCollections: {
          Msg: { get: () => ({ id: { remote: '9@g.us', fromMe: true }, type: 'chat' }) },
          Chat: { get: () => chat },
          GroupMetadata: { find: () => find(members), update: async () => {} },
        },
        WAWebMsgActionCapability: { canSenderRevokeMsg: () => members.length > 0, canAdminRevokeMsg: () => false },
        WAWebChatSendMessages: sent,
      },
      { me: 'me@c.us' },
    );
    return sent;
  }

  it('is deleted for everyone once they are loaded', async () => {
    const { sendRevokeMsgs } = page(async (members) => members.push({ id: 'me@c.us' }));
    expect(await deleteMessage('x', true, 50)).toBe('everyone');
    expect(sendRevokeMsgs).toHaveBeenCalledTimes(1);
  });

  it('is not deleted for the account instead if they cannot be loaded', async () => {
    const { sendDeleteMsgs } = page(() => new Promise(() => {}));
    await expect(deleteMessage('x', true, 50)).rejects.toMatchObject({ code: 'client_failed' });
    expect(sendDeleteMsgs).not.toHaveBeenCalled();
  });
});

it("another's message, and one of a kind without a text, is not edited", async () => {
  const page = (fromMe: boolean) =>
    stubPage({
      WAWebCollections: { Msg: { get: () => ({ id: { fromMe }, type: 'chat', t: Date.now() / 1_000 }) } },
      WAWebMsgActionCapability: { canEditText: () => false, canEditCaption: () => false },
    });
  page(false);
  await expect(editMessage('x', 'better', undefined)).rejects.toThrow('only messages that this account sent');
  page(true);
  await expect(editMessage('x', 'better', undefined)).rejects.toThrow('cannot be edited');
});

describe('a reaction', () => {
  function page(message: object, chat: object | undefined, sendReactionToMsg: () => Promise<void>, unread = {}) {
    stubPage({
      WAWebCollections: {
        Msg: { get: () => ({ id: { remote: '9@g.us' }, type: 'chat', ...message }) },
        Chat: { get: () => chat },
      },
      WAWebSendReactionMsgAction: { sendReactionToMsg },
      WAWebUpdateUnreadChatAction: unread,
    });
  }
  const sent = async () => {};
  const fails = () => Promise.reject(new Error('offline'));

  it.each([
    ['deleted', { type: 'revoked' }, undefined, sent, 'message_not_found'],
    ['lost', {}, undefined, fails, 'outcome_unknown'],
    ['of a status', { id: { remote: 'status@broadcast' } }, undefined, fails, 'not_permitted'],
    ['without a secret, in an announcement group', {}, { groupMetadata: { isCag: true } }, fails, 'not_permitted'],
  ] as const)('to a message that is %s is refused', async (_how, message, chat, sending, code) => {
    page(message, chat, sending);
    await expect(react('x', '👍')).rejects.toMatchObject({ code });
  });

  it('that must not mark the chat as read is not sent by a build that would', async () => {
    const sending = vi.fn(sent);
    page({}, undefined, sending, Object.freeze({ sendSeen: async () => {} }));
    await expect(react('x', '👍', false)).rejects.toMatchObject({ code: 'page_unsupported' });
    expect(sending).not.toHaveBeenCalled();
    await react('x', '👍');
    expect(sending).toHaveBeenCalledTimes(1);
  });
});
