import { type Chat, type chatChangeOperations, type chatOperations, GatewayError } from '@chat-web/protocol';
import { toActivity } from '../client/inbox/account-event.ts';
import { toChats } from '../client/lists.ts';
import type { HandlerContext, WorkerHandlers } from '../client/port.ts';
import type { ChatOutcome } from '../page/chat-changes.ts';
import { IGNORED, NO_CHAT, unlessRefused } from './refusals.ts';

export function chatHandlers({ page }: HandlerContext): WorkerHandlers<keyof typeof chatOperations> {
  return {
    listChats: async (_, { time }) => toChats(await page.read(time.rest(), 'listChats')),
  };
}

export function chatChangeHandlers({ page }: HandlerContext): WorkerHandlers<keyof typeof chatChangeOperations> {
  return {
    getChat: async ({ chatId }, { time }) => {
      const [chat] = toChats([await page.read(time.rest(), 'getChat', chatId)]);
      if (chat) return chat;
      throw new GatewayError(...NO_CHAT);
    },

    markChatRead: async ({ chatId }, { time }) =>
      changed(await page.change(time.rest(), 'markChatRead', chatId, time.step('settle'))),

    markChatUnread: async ({ chatId }, { time }) =>
      changed(await page.change(time.rest(), 'markChatUnread', chatId, time.step('settle'))),

    setChatState: async ({ chatId, state, seconds }, { time }) => {
      const outcome = await page.change(time.rest(), 'setChatState', chatId, state, seconds * 1_000);
      const { id } = unlessRefused(outcome, { no_chat: NO_CHAT });
      const endsAt = new Date(Date.now() + seconds * 1_000).toISOString();
      return { chatId: id, state, ...(state === 'paused' ? {} : { endsAt }) };
    },

    subscribePresence: async ({ chatId }, { time }) => {
      const found = unlessRefused(await page.change(time.rest(), 'subscribePresence', chatId, time.step('presence')), {
        no_chat: NO_CHAT,
        no_function: ['page_unsupported', 'the page of this account cannot subscribe to this presence'],
        too_many: ['not_permitted', 'at most 200 chats can be subscribed to; restart the session to reset them'],
      });
      return { chatId: found.id, ...toActivity(found) };
    },

    archiveChat: async ({ chatId, archived }, { time }) =>
      changed(await page.change(time.rest(), 'archiveChat', chatId, archived, time.step('settle'))),

    pinChat: async ({ chatId, pinned }, { time }) => {
      const outcome = await page.change(time.rest(), 'pinChat', chatId, pinned, time.step('settle'));
      return changed(
        unlessRefused(outcome, {
          unarchived: [
            'outcome_unknown',
            'the chat was unarchived, but the web client did not report whether it was pinned',
          ],
          too_many: ['not_permitted', 'the account has reached its limit of pinned chats: unpin another first'],
        }),
      );
    },

    muteChat: async ({ chatId, until }, { time }) => {
      const seconds = until === 'forever' ? -1 : Math.ceil(Date.parse(until ?? '') / 1_000) || 0;
      return changed(await page.change(time.rest(), 'muteChat', chatId, seconds, time.step('settle')));
    },

    clearChat: async ({ chatId }, { time }) => {
      const outcome = await page.change(time.rest(), 'clearChat', chatId, time.step('settle'));
      const { id } = unlessRefused(outcome, {
        no_chat: NO_CHAT,
        still_shown: ['outcome_unknown', 'the chat is cleared, but the web client still shows its messages'],
        unknown: ['outcome_unknown', 'the web client failed while it cleared the chat; look at its messages'],
      });
      return { chatId: id, cleared: true };
    },

    deleteChat: async ({ chatId }, { time }) => {
      const outcome = await page.change(time.rest(), 'deleteChat', chatId, time.step('members'));
      const { id } = unlessRefused(outcome, {
        no_chat: NO_CHAT,
        is_member: ['not_permitted', 'the account is in the group: leave it first'],
        failed: ['client_failed', 'the web client did not delete the chat'],
      });
      return { chatId: id, deleted: true };
    },
  };
}

function changed(outcome: ChatOutcome): Chat {
  const [chat] = toChats([unlessRefused(outcome, { no_chat: NO_CHAT, ignored: IGNORED })]);
  if (chat) return chat;
  throw new GatewayError('outcome_unknown', 'the request succeeded, but the web client returned an invalid chat');
}
