import { type Chat, type chatChangeOperations, GatewayError, type Handlers } from '@chat-web/protocol';
import { toActivity } from '../client/inbox/account-event.ts';
import { toChats } from '../client/lists.ts';
import type { HandlerContext } from '../client/port.ts';
import {
  archiveChat,
  type ChatOutcome,
  clearChat,
  deleteChat,
  findChat,
  markChatRead,
  markChatUnread,
  muteChat,
  pinChat,
  setChatState,
} from '../page/chat-changes.ts';
import { subscribePresence } from '../page/presence.ts';
import { chatNotFound } from './not-found.ts';
import { notCarriedOut } from './sending.ts';

const READ_TIMEOUT_MS = 10_000;
const CHANGE_TIMEOUT_MS = 25_000;
const STATE_TIMEOUT_MS = 12_000;
/** How long the current presence may take to arrive; the network may not send it. */
const PRESENCE_TIMEOUT_MS = 2_000;
/** A chat may have many thousands of messages. */
const CLEAR_TIMEOUT_MS = 55_000;
const MEMBERS_TIMEOUT_MS = 8_000;
/** How long the page may take to show a change after it was applied. */
const SETTLE_TIMEOUT_MS = 3_000;

/** Handlers of the operations on one chat. */
export function chatChangeHandlers({ page }: HandlerContext): Handlers<keyof typeof chatChangeOperations> {
  return {
    getChat: async ({ chatId }) => {
      const [chat] = toChats([await page.read(READ_TIMEOUT_MS, findChat, chatId)]);
      if (chat) return chat;
      throw chatNotFound();
    },

    markChatRead: async ({ chatId }) =>
      changed(await page.change(CHANGE_TIMEOUT_MS, markChatRead, chatId, SETTLE_TIMEOUT_MS)),

    markChatUnread: async ({ chatId }) =>
      changed(await page.change(CHANGE_TIMEOUT_MS, markChatUnread, chatId, SETTLE_TIMEOUT_MS)),

    setChatState: async ({ chatId, state, seconds }) => {
      const { id } = idOf(await page.change(STATE_TIMEOUT_MS, setChatState, chatId, state, seconds * 1_000));
      const endsAt = new Date(Date.now() + seconds * 1_000).toISOString();
      return { chatId: id, state, ...(state === 'paused' ? {} : { endsAt }) };
    },

    subscribePresence: async ({ chatId }) => {
      const found = await page.change(STATE_TIMEOUT_MS, subscribePresence, chatId, PRESENCE_TIMEOUT_MS);
      if (found === 'no_chat') throw chatNotFound();
      if (found === 'no_function')
        throw new GatewayError('page_unsupported', 'the page of this account cannot subscribe to this presence');
      if (found === 'too_many')
        throw new GatewayError('not_permitted', 'at most 200 chats can be watched; restart the session to reset them');
      return { chatId: found.id, ...toActivity(found) };
    },

    archiveChat: async ({ chatId, archived }) =>
      changed(await page.change(CHANGE_TIMEOUT_MS, archiveChat, chatId, archived, SETTLE_TIMEOUT_MS)),

    pinChat: async ({ chatId, pinned }) => {
      const outcome = await page.change(CHANGE_TIMEOUT_MS, pinChat, chatId, pinned, SETTLE_TIMEOUT_MS);
      if (outcome === 'unarchived')
        throw new GatewayError(
          'outcome_unknown',
          'the chat was unarchived, but the web client did not report whether it was pinned',
        );
      if (outcome !== 'too_many') return changed(outcome);
      throw new GatewayError('not_permitted', 'the account has reached its limit of pinned chats: unpin another first');
    },

    muteChat: async ({ chatId, until }) => {
      const seconds = until === 'forever' ? -1 : Math.ceil(Date.parse(until ?? '') / 1_000) || 0;
      return changed(await page.change(CHANGE_TIMEOUT_MS, muteChat, chatId, seconds, SETTLE_TIMEOUT_MS));
    },

    clearChat: async ({ chatId }) => {
      const outcome = await page.change(CLEAR_TIMEOUT_MS, clearChat, chatId, SETTLE_TIMEOUT_MS);
      if (outcome === 'still_shown')
        throw new GatewayError('outcome_unknown', 'the chat is cleared, but the web client still shows its messages');
      if (outcome === 'unknown')
        throw new GatewayError(
          'outcome_unknown',
          'the web client failed while it cleared the chat; look at its messages',
        );
      return { chatId: idOf(outcome).id, cleared: true };
    },

    deleteChat: async ({ chatId }) => {
      const outcome = await page.change(CLEAR_TIMEOUT_MS, deleteChat, chatId, MEMBERS_TIMEOUT_MS);
      if (outcome === 'is_member')
        throw new GatewayError('not_permitted', 'the account is in the group: leave it first');
      if (outcome === 'failed') throw new GatewayError('client_failed', 'the web client did not delete the chat');
      return { chatId: idOf(outcome).id, deleted: true };
    },
  };
}

function idOf(outcome: { readonly id: string } | 'no_chat'): { readonly id: string } {
  if (outcome === 'no_chat') throw chatNotFound();
  return outcome;
}

/** The chat after a change. */
function changed(outcome: ChatOutcome): Chat {
  if (outcome === 'no_chat') throw chatNotFound();
  if (outcome === 'ignored') throw notCarriedOut();
  const [chat] = toChats([outcome]);
  if (chat) return chat;
  throw new GatewayError('outcome_unknown', 'the request succeeded, but the web client returned an invalid chat');
}
