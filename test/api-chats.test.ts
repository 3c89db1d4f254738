import { sendText } from '@chat-web/host';
import type { Message } from '@chat-web/protocol';
import {
  ADA,
  BEN,
  CARLA,
  DEV,
  EDITH,
  eventually,
  FARID,
  GRACE,
  idOf,
  media,
  NOBODY,
  pace,
  rawRequest,
} from '@chat-web/testing';
import { expectRefused, sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

/** Two requests that are sent this far apart arrive in order, while the first change is still in progress. */
const LATER_MS = 5;

describe('a chat', () => {
  const stack = sharedStack();
  let lidOfBen = '';
  beforeAll(async () => {
    await stack.phones.send(BEN, { to: ADA, body: 'hello' });
    await stack.phones.send(CARLA, { to: ADA, body: 'hello' });
    ({ lid: lidOfBen } = await stack.phones.account(BEN));
    await stack.link('main', ADA);
    await eventually(async () => expect(await onPage(BEN)).toMatchObject({ unreadCount: 1 }));
  });

  const of = (chatId: string) => ({ id: 'main', chatId });
  const onPage = (chatId: string) => stack.client.getChat(of(chatId));
  /** The chat with Ada on another phone, or one of Ada's chats on hers. */
  const onPhone = async (number: string, other: string) => {
    const found = (await stack.phones.chats(number)).find(({ id }) => id === idOf(other) || id === other);
    if (!found) throw new Error(`the phone of ${number} has no chat with ${other}`);
    return found;
  };
  const fresh = async (from: string) => {
    const body = `one more ${Math.random()}`;
    const { id } = await stack.phones.send(from, { to: ADA, body });
    await eventually(async () => expect(await onPage(from)).toMatchObject({ lastMessage: { body } }));
    return id;
  };
  const put = (path: string, body: object, method = 'PUT') =>
    rawRequest(stack.gateway.url, {
      method,
      path: `/sessions/main/chats/${path}`,
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  const ackOf = async (from: string, messageId: string) =>
    (await stack.phones.messages(from, { with: ADA })).find(({ id }) => id === messageId)?.ack;

  it('is found by number, by hidden id and by group id; others are 404', async () => {
    for (const chatId of [BEN, `+${BEN}`, idOf(BEN), lidOfBen])
      expect(await onPage(chatId)).toMatchObject({ id: idOf(BEN), name: 'Ben Okafor', unreadCount: 1 });
    expect(await onPage(CARLA)).toMatchObject({ id: idOf(CARLA), lastMessage: { body: 'hello', fromMe: false } });
    const { id } = await stack.phones.createGroup(BEN, { subject: 'A group', participants: [ADA] });
    await eventually(async () => expect(await onPage(id)).toMatchObject({ id, name: 'A group' }));
    const unknown = [NOBODY, '120363999999999999@g.us', '99999999999999@lid', 'status@broadcast'];
    await expectRefused(
      unknown.flatMap((chatId) => [
        onPage(chatId),
        stack.client.markChatRead(of(chatId)),
        stack.client.markChatUnread(of(chatId)),
        stack.client.setChatState({ ...of(chatId), state: 'typing' }),
        stack.client.archiveChat({ ...of(chatId), archived: true }),
        stack.client.pinChat({ ...of(chatId), pinned: true }),
        stack.client.muteChat({ ...of(chatId), until: null }),
        stack.client.clearChat(of(chatId)),
        stack.client.deleteChat(of(chatId)),
      ]),
      { code: 'chat_not_found' },
    );
    await expectRefused([onPage('nonsense')], { code: 'invalid_request' });
  });

  it.each([BEN, CARLA])('is read and marked as unread, as the phones see it: %s', async (number) => {
    const last = await fresh(number);
    await eventually(async () => expect(await ackOf(number, last)).toBe(2));
    expect(await stack.client.markChatRead(of(number))).toMatchObject({ id: idOf(number), unreadCount: 0 });
    await eventually(async () => expect(await ackOf(number, last)).toBe(3));
    expect(await stack.client.markChatRead(of(number))).toMatchObject({ unreadCount: 0 });

    for (const _ of ['once', 'twice'])
      expect(await stack.client.markChatUnread(of(number))).toMatchObject({ unreadCount: 1 });
    await stack.phones.settled(); // Also waits for what the page sends in a moment.
    expect(await onPhone(ADA, number)).toMatchObject({ markedUnread: true, unread: 0 });
    await stack.client.markChatRead(of(number));
    await eventually(async () => expect(await onPhone(ADA, number)).toMatchObject({ markedUnread: false }));
  });

  it('is read by a send, unless that says otherwise: at once, or when the account is available the next time', async () => {
    const text = { id: 'main', type: 'text', to: BEN, body: 'an answer' } as const;
    const presence = (is: 'available' | 'unavailable') => stack.client.setPresence({ id: 'main', presence: is });
    await presence('unavailable');
    const first = await fresh(BEN);
    await stack.client.sendMessage(text);
    expect((await onPage(BEN)).unreadCount).toBeGreaterThan(0);
    await presence('available');
    await eventually(async () => expect(await onPage(BEN)).toMatchObject({ unreadCount: 0 }));
    await eventually(async () => expect(await ackOf(BEN, first)).toBe(3));

    const second = await fresh(BEN);
    const own = (await stack.client.sendMessage({ ...text, markRead: false })) as Message;
    const base64 = Buffer.from(media[0]?.bytes ?? []).toString('base64');
    const picture = { type: 'image', base64, id: 'main', to: BEN, markRead: false } as const;
    await stack.client.sendMessage(picture);
    await stack.client.sendMessage({ id: 'main', type: 'reaction', messageId: own.id, emoji: '👍', markRead: false });
    await stack.client.forwardMessage({ id: 'main', messageId: own.id, to: BEN, markRead: false });
    await stack.phones.settled();
    expect(await onPage(BEN)).toMatchObject({ unreadCount: 1 });
    expect(await ackOf(BEN, second)).toBe(2);
    await stack.client.sendMessage(text);
    await eventually(async () => expect(await onPage(BEN)).toMatchObject({ unreadCount: 0 }));
    await presence('unavailable');
  });

  it('stays unread where the network refuses the receipts', async () => {
    await fresh(BEN);
    await stack.phones.refuseRequests(ADA, { requests: ['seen'], code: 500 });
    await expectRefused([stack.client.markChatRead(of(BEN))], { code: 'client_failed' });
    await stack.phones.refuseRequests(ADA, { requests: ['seen'], code: null });
    expect((await onPage(BEN)).unreadCount).toBeGreaterThan(0);
  });

  it.each([
    [BEN, 'typing'],
    [CARLA, 'recording'],
  ] as const)('shows %s that the account is %s, for the given seconds', async (number, state) => {
    const before = Date.now();
    const shown = await stack.client.setChatState({ ...of(number), state, seconds: 2 });
    expect(shown).toEqual({ chatId: idOf(number), state, endsAt: expect.any(String) });
    expect(Date.parse(shown.endsAt ?? '') - before).toBeGreaterThanOrEqual(2_000);
    await eventually(async () => expect((await onPhone(number, ADA)).chatStates).toEqual([{ from: idOf(ADA), state }]));
    await eventually(async () => expect((await onPhone(number, ADA)).chatStates).toEqual([]));
    expect(Date.now() - before).toBeGreaterThan(1_500);
  });

  it('stops showing that after a pause, a message, a reload, and the end of the session', async () => {
    const type = async () => {
      await stack.client.setChatState({ ...of(BEN), state: 'typing', seconds: 60 });
      await eventually(async () => expect((await onPhone(BEN, ADA)).chatStates).toHaveLength(1));
    };
    const isOver = () => eventually(async () => expect((await onPhone(BEN, ADA)).chatStates).toEqual([]));
    await type();
    expect(await stack.client.setChatState({ ...of(BEN), state: 'paused' })).toEqual({
      chatId: idOf(BEN),
      state: 'paused',
    });
    await isOver();
    await type();
    await sendText(stack.client, { id: 'main', type: 'text', to: BEN, body: 'typed' });
    await isOver();
    await type();
    await stack.disturb(ADA, 'reload');
    await isOver();
    await eventually(() => type());
    await stack.client.stopSession({ id: 'main' });
    await isOver();
    await stack.client.startSession({ id: 'main' });
    await stack.untilStatus('main', 'ready');
    expect((await onPhone(BEN, ADA)).chatStates).toEqual([]);
  });

  it('is archived, pinned and muted, on all devices and over restarts', async () => {
    const { client } = stack;
    const listed = async () => (await client.listChats({ id: 'main' })).find(({ id }) => id === idOf(CARLA));
    expect(await listed()).toMatchObject({ archived: false, pinned: false, mutedUntil: null });
    for (const _ of ['once', 'twice'])
      expect(await client.pinChat({ ...of(CARLA), pinned: true })).toMatchObject({ pinned: true });
    await eventually(async () => expect(await onPhone(ADA, CARLA)).toMatchObject({ pinned: true, archived: false }));
    for (const _ of ['once', 'twice'])
      expect(await client.archiveChat({ ...of(CARLA), archived: true })).toMatchObject({
        archived: true,
        pinned: false,
      });
    const until = new Date(Date.now() + 3_600_500).toISOString();
    const mutedUntil = new Date(Math.ceil(Date.parse(until) / 1_000) * 1_000).toISOString();
    expect(await client.muteChat({ ...of(CARLA), until })).toMatchObject({ archived: true, mutedUntil });
    const seconds = Date.parse(mutedUntil) / 1_000;
    await eventually(async () =>
      expect(await onPhone(ADA, CARLA)).toMatchObject({ pinned: false, archived: true, mutedUntil: seconds }),
    );
    await client.restartSession({ id: 'main' });
    await stack.untilStatus('main', 'ready');
    expect(await listed()).toMatchObject({ archived: true, pinned: false, mutedUntil });

    expect(await client.muteChat({ ...of(CARLA), until: 'forever' })).toMatchObject({ mutedUntil: 'forever' });
    expect(await client.muteChat({ ...of(CARLA), until: null })).toMatchObject({ mutedUntil: null });
    expect(await client.archiveChat({ ...of(CARLA), archived: false })).toMatchObject({ archived: false });
    await eventually(async () => expect(await onPhone(ADA, CARLA)).toMatchObject({ archived: false, mutedUntil: 0 }));
    // Nothing is pinned in the archive.
    await client.archiveChat({ ...of(CARLA), archived: true });
    expect(await client.pinChat({ ...of(CARLA), pinned: true })).toMatchObject({ archived: false, pinned: true });
    await eventually(async () => expect(await onPhone(ADA, CARLA)).toMatchObject({ archived: false, pinned: true }));
    await client.pinChat({ ...of(CARLA), pinned: false });
  });

  it('has the state of the later of two concurrent changes', async () => {
    const archive = (archived: boolean) => stack.client.archiveChat({ ...of(BEN), archived });
    // The first changes it, and the second changes it back.
    for (const last of [false, true]) {
      await archive(last);
      const first = archive(!last);
      await pace(LATER_MS);
      expect((await Promise.all([first, archive(last)])).map(({ archived }) => archived)).toEqual([!last, last]);
      expect(await onPage(BEN)).toMatchObject({ archived: last });
      await eventually(async () => expect(await onPhone(ADA, BEN)).toMatchObject({ archived: last }));
    }
    await archive(false);
  });

  it('is not pinned beyond the limit: 403, and nothing changes', async () => {
    const { client } = stack;
    const people = [DEV, EDITH, FARID, GRACE];
    for (const person of people) await stack.phones.send(person, { to: ADA, body: 'hello' });
    await eventually(async () => Promise.all(people.map(onPage)));
    for (const person of people.slice(0, 3)) await client.pinChat({ ...of(person), pinned: true });
    const [first = '', , , fourth = ''] = people;
    await expectRefused([client.pinChat({ ...of(fourth), pinned: true })], { code: 'not_permitted' });
    expect(await onPage(fourth)).toMatchObject({ pinned: false });
    await client.pinChat({ ...of(first), pinned: false });
    expect(await client.pinChat({ ...of(fourth), pinned: true })).toMatchObject({ pinned: true });
  });

  it('is cleared, and deleted, only for the account', async () => {
    const { client } = stack;
    const { messages } = await client.listMessages(of(CARLA));
    const messageId = messages[0]?.id ?? '';
    expect(await client.getMessage({ id: 'main', messageId })).toMatchObject({ id: messageId });
    expect(await client.clearChat(of(CARLA))).toEqual({ chatId: idOf(CARLA), cleared: true });
    const gone = client.getMessage({ id: 'main', messageId });
    await expect(gone).rejects.toMatchObject({ code: 'message_not_found' });
    expect(await onPage(CARLA)).not.toHaveProperty('lastMessage');
    await eventually(async () => expect(await stack.phones.messages(ADA, { with: CARLA })).toEqual([]));
    expect(await stack.phones.messages(CARLA, { with: ADA })).not.toEqual([]);
    expect(await client.deleteChat(of(CARLA))).toEqual({ chatId: idOf(CARLA), deleted: true });
    await eventually(async () => {
      await expect(onPage(CARLA)).rejects.toMatchObject({ code: 'chat_not_found' });
      expect((await stack.phones.chats(ADA)).map(({ id }) => id)).not.toContain(idOf(CARLA));
    });
    expect(await stack.phones.messages(CARLA, { with: ADA })).not.toEqual([]);
    await fresh(CARLA);
    expect(await onPage(CARLA)).toMatchObject({ unreadCount: 1, archived: false });
  });

  it('of a group is deleted once the account has left the group', async () => {
    // Waits for the notice of the creation: after the deletion, it would add the chat again.
    const { id: chatId } = await stack.createGroup(BEN, { subject: 'To be left', participants: [ADA] });
    await eventually(() => onPage(chatId));
    await expectRefused([stack.client.deleteChat(of(chatId))], { code: 'not_permitted' });
    await stack.client.leaveGroup({ id: 'main', groupId: chatId });
    expect(await stack.client.deleteChat(of(chatId))).toEqual({ chatId, deleted: true });
    await eventually(() => expect(onPage(chatId)).rejects.toMatchObject({ code: 'chat_not_found' }));
  });

  it.each([
    ['archive', { archived: 'yes' }, 'archived'],
    ['pin', {}, 'pinned'],
    ['mute', {}, 'until'],
    ['mute', { until: 'tomorrow' }, 'until'],
    ['mute', { until: '2020-01-01T00:00:00Z' }, 'until'],
  ])('refuses %s with %j: 400 that names %s', async (what, body, field) => {
    expect(await put(`${BEN}/${what}`, body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', issues: [{ path: field }] },
    });
  });

  it.each([
    [{ state: 'dancing' }, 'state'],
    [{ state: 'typing', seconds: 61 }, 'seconds'],
    [{ state: 'typing', seconds: 0 }, 'seconds'],
    [{ state: 'typing', seconds: 1.5 }, 'seconds'],
  ])('refuses the state %j: 400 that names %s', async (body, field) => {
    expect(await put(`${BEN}/state`, body, 'POST')).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', issues: [{ path: field }] },
    });
  });
});
