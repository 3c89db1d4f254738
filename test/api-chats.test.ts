import { sendText } from '@chat-web/host';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from './helpers/eventually.ts';
import { rawRequest } from './helpers/raw-request.ts';
import { ADA, BEN, Stack } from './helpers/stack.ts';

/** Their chats are by hidden id. */
const CARLA = '12025550103';
const NOBODY = '12025559999';
const idOf = (number: string) => `${number}@c.us`;

describe('a chat', () => {
  let stack: Stack;
  let lidOfBen = '';
  beforeAll(async () => {
    stack = await Stack.start();
    await stack.phones.send(BEN, { to: ADA, body: 'hello' });
    await stack.phones.send(CARLA, { to: ADA, body: 'hello' });
    ({ lid: lidOfBen } = await stack.phones.account(BEN));
    await stack.link('main', ADA);
    await eventually(async () => expect(await onPage(BEN)).toMatchObject({ unreadCount: 1 }));
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  const of = (chatId: string) => ({ id: 'main', chatId });
  const onPage = (chatId: string) => stack.client.getChat(of(chatId));
  /** The chat with Ada on somebody's phone, or one of Ada's on hers. */
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
  const ackOf = async (from: string, messageId: string) =>
    (await stack.phones.messages(from, { with: ADA })).find(({ id }) => id === messageId)?.ack;
  const expectEach = async (calls: readonly Promise<unknown>[], error: object) => {
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes).toEqual(calls.map(() => ({ status: 'rejected', reason: expect.objectContaining(error) })));
  };

  it('is found by number, by hidden id and as a group; others are 404', async () => {
    for (const chatId of [BEN, `+${BEN}`, idOf(BEN), lidOfBen])
      expect(await onPage(chatId)).toMatchObject({ id: idOf(BEN), name: 'Ben Okafor', unreadCount: 1 });
    expect(await onPage(CARLA)).toMatchObject({ id: idOf(CARLA), lastMessage: { body: 'hello', fromMe: false } });
    const { id } = await stack.phones.createGroup(BEN, { subject: 'A group', participants: [ADA] });
    await eventually(async () => expect(await onPage(id)).toMatchObject({ id, name: 'A group' }));
    const unknown = [NOBODY, '120363999999999999@g.us', '99999999999999@lid', 'status@broadcast'];
    await expectEach(
      unknown.flatMap((chatId) => [
        onPage(chatId),
        stack.client.markChatRead(of(chatId)),
        stack.client.markChatUnread(of(chatId)),
        stack.client.setChatState({ ...of(chatId), state: 'typing' }),
      ]),
      { code: 'chat_not_found' },
    );
    await expectEach([onPage('nonsense')], { code: 'invalid_request' });
  });

  it.each([BEN, CARLA])('is read and marked as unread, as the phones see it: %s', async (number) => {
    const last = await fresh(number);
    await eventually(async () => expect(await ackOf(number, last)).toBe(2));
    expect(await stack.client.markChatRead(of(number))).toMatchObject({ id: idOf(number), unreadCount: 0 });
    await eventually(async () => expect(await ackOf(number, last)).toBe(3));
    expect(await stack.client.markChatRead(of(number))).toMatchObject({ unreadCount: 0 });

    for (const _ of ['once', 'twice'])
      expect(await stack.client.markChatUnread(of(number))).toMatchObject({ unreadCount: 1 });
    await eventually(async () => expect(await onPhone(ADA, number)).toMatchObject({ markedUnread: true, unread: 0 }));
    await stack.client.markChatRead(of(number));
    await eventually(async () => expect(await onPhone(ADA, number)).toMatchObject({ markedUnread: false }));
  });

  it('stays unread where the network refuses the receipts', async () => {
    await fresh(BEN);
    await stack.phones.refuseRequests(ADA, { requests: ['seen'], code: 500 });
    await expectEach([stack.client.markChatRead(of(BEN))], { code: 'client_failed' });
    await stack.phones.refuseRequests(ADA, { requests: ['seen'], code: null });
    expect((await onPage(BEN)).unreadCount).toBeGreaterThan(0);
  });

  it.each([
    [BEN, 'typing'],
    [CARLA, 'recording'],
  ] as const)('shows %s that the account is %s, for so many seconds', async (number, state) => {
    const before = Date.now();
    const shown = await stack.client.setChatState({ ...of(number), state, seconds: 2 });
    expect(shown).toEqual({ chatId: idOf(number), state, endsAt: expect.any(String) });
    expect(Date.parse(shown.endsAt ?? '') - before).toBeGreaterThanOrEqual(2_000);
    await eventually(async () => expect((await onPhone(number, ADA)).doing).toEqual([{ from: idOf(ADA), state }]));
    await eventually(async () => expect((await onPhone(number, ADA)).doing).toEqual([]));
    expect(Date.now() - before).toBeGreaterThan(1_500);
  });

  it('shows that no more after a pause, a message, a reload, and the end of the session', async () => {
    const type = async () => {
      await stack.client.setChatState({ ...of(BEN), state: 'typing', seconds: 60 });
      await eventually(async () => expect((await onPhone(BEN, ADA)).doing).toHaveLength(1));
    };
    const isOver = () => eventually(async () => expect((await onPhone(BEN, ADA)).doing).toEqual([]));
    await type();
    expect(await stack.client.setChatState({ ...of(BEN), state: 'paused' })).toEqual({
      ...{ chatId: idOf(BEN), state: 'paused' },
    });
    await isOver();
    await type();
    await sendText(stack.client, { id: 'main', type: 'text', to: BEN, body: 'typed' });
    await isOver();
    await type();
    const [page] = await stack.phones.pages();
    await stack.phones.disturb(page?.id ?? '', 'reload');
    await isOver();
    await eventually(() => type(), 30_000);
    await stack.client.stopSession({ id: 'main' });
    await isOver();
    await stack.client.startSession({ id: 'main' });
    await stack.untilStatus('main', 'ready');
    expect((await onPhone(BEN, ADA)).doing).toEqual([]);
  });

  it.each([
    [{ state: 'dancing' }, 'state'],
    [{ state: 'typing', seconds: 61 }, 'seconds'],
    [{ state: 'typing', seconds: 0 }, 'seconds'],
    [{ state: 'typing', seconds: 1.5 }, 'seconds'],
  ])('takes no state %j: 400 that names %s', async (body, field) => {
    const path = `/sessions/main/chats/${BEN}/state`;
    const headers = { 'content-type': 'application/json' };
    const answer = await rawRequest(stack.gateway.url, { method: 'POST', path, headers, body: JSON.stringify(body) });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request', issues: [{ path: field }] } });
  });
});
