import { GatewayError } from '@chat-web/protocol';
import { expect, it } from 'vitest';
import { freshHandlers } from '../testing/fake-page.ts';
import { chatChangeHandlers, chatHandlers } from './chats.ts';
import { labelHandlers } from './labels.ts';

const { context, handlers } = freshHandlers((context) => ({
  ...chatHandlers(context),
  ...chatChangeHandlers(context),
  ...labelHandlers(context),
}));

const listed = () => handlers.listChats({ id: 'main' });

it('chats are read without changing them, newest first, each once', async () => {
  const chat = { name: 'Ben', unreadCount: -1, lastMessage: undefined };
  context.page.on('listChats', () => [
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
  context.page.on('listChats', () => {
    throw new GatewayError('session_lost', 'the page was lost');
  });
  await expect(listed()).rejects.toMatchObject({ code: 'session_lost' });
});
