import { GatewayError } from '@chat-web/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listChats } from '../page/chats.ts';
import { type FakeContext, fakeContext } from '../testing/fake-page.ts';
import { chatHandlers } from './chats.ts';

let context: FakeContext;
beforeEach(() => {
  context = fakeContext();
});
afterEach(() => context[Symbol.dispose]());

const listed = () => chatHandlers(context).listChats({ id: 'main' });

it('chats are read without changing them, newest first, each once', async () => {
  const chat = { name: 'Ben', unreadCount: -1, lastMessage: undefined };
  context.page.on(listChats, () => [
    { ...chat, id: '12025550102@c.us', lastActivity: 1 },
    { ...chat, id: '12025550103@c.us', lastActivity: 2 },
    { ...chat, id: '12025550102@c.us', lastActivity: 3 },
  ]);
  expect(await listed()).toEqual([
    { id: '12025550102@c.us', name: 'Ben', unreadCount: 1 },
    { id: '12025550103@c.us', name: 'Ben', unreadCount: 1 },
  ]);
  expect(context.page.calls.map(({ kind }) => kind)).toEqual(['read']);
});

it('a lost page keeps its error code', async () => {
  context.page.on(listChats, () => {
    throw new GatewayError('session_lost', 'the page was lost');
  });
  await expect(listed()).rejects.toMatchObject({ code: 'session_lost' });
});
