import { type Chat, type chatChangeOperations, type chatOperations, GatewayError } from '@chat-web/protocol';
import { toActivity } from '../client/inbox/account-event.ts';
import { toChats } from '../client/lists.ts';
import type { HandlerDependencies, WorkerHandlers } from '../client/port.ts';
import { ListPages } from './list-pages.ts';

export function chatHandlers({ page }: HandlerDependencies): WorkerHandlers<keyof typeof chatOperations> {
  const chats = new ListPages(async (time) => toChats(await page.read(time.rest(), 'listChats')));
  return {
    listChats: (input, { time }) => chats.get(input, time),
  };
}

export function chatChangeHandlers({ page }: HandlerDependencies): WorkerHandlers<keyof typeof chatChangeOperations> {
  return {
    getChat: async ({ chatId }, { time }) => {
      const [chat] = toChats([await page.read(time.rest(), 'getChat', chatId)]);
      if (chat) return chat;
      throw new GatewayError('chat_not_found', 'the account has no such chat');
    },

    markChatRead: async ({ chatId }, { time }) =>
      chatOf(await page.change(time.rest(), 'markChatRead', chatId, time.step('settle'))),

    markChatUnread: async ({ chatId }, { time }) =>
      chatOf(await page.change(time.rest(), 'markChatUnread', chatId, time.step('settle'))),

    setChatState: async ({ chatId, state, seconds }, { time }) => {
      const { id } = await page.change(time.rest(), 'setChatState', chatId, state, seconds * 1_000);
      const endsAt = new Date(Date.now() + seconds * 1_000).toISOString();
      return { chatId: id, state, ...(state === 'paused' ? {} : { endsAt }) };
    },

    subscribePresence: async ({ chatId }, { time }) => {
      const found = await page.change(time.rest(), 'subscribePresence', chatId, time.step('presence'));
      return { chatId: found.id, ...toActivity(found) };
    },

    archiveChat: async ({ chatId, archived }, { time }) =>
      chatOf(await page.change(time.rest(), 'archiveChat', chatId, archived, time.step('settle'))),

    pinChat: async ({ chatId, pinned }, { time }) =>
      chatOf(await page.change(time.rest(), 'pinChat', chatId, pinned, time.step('settle'))),

    muteChat: async ({ chatId, until }, { time }) => {
      const seconds = until === 'forever' ? -1 : Math.ceil(Date.parse(until ?? '') / 1_000) || 0;
      return chatOf(await page.change(time.rest(), 'muteChat', chatId, seconds, time.step('settle')));
    },

    clearChat: async ({ chatId }, { time }) => {
      const { id } = await page.change(time.rest(), 'clearChat', chatId, time.step('settle'));
      return { chatId: id, cleared: true };
    },

    deleteChat: async ({ chatId }, { time }) => {
      const { id } = await page.change(time.rest(), 'deleteChat', chatId, time.step('members'));
      return { chatId: id, deleted: true };
    },
  };
}

function chatOf(row: unknown): Chat {
  const [chat] = toChats([row]);
  if (chat) return chat;
  throw new GatewayError('outcome_unknown', 'the request succeeded, but the web client returned an invalid chat');
}
