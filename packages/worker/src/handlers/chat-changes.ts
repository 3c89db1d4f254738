import { type Chat, GatewayError, type Handlers } from '@chat-web/protocol';
import { toChats } from '../client/lists.ts';
import type { HandlerContext } from '../client/port.ts';
import { type ChatOutcome, findChat, markChatRead, markChatUnread, setChatState } from '../page/chat-changes.ts';
import { refusedBy } from './sending.ts';

const READ_TIMEOUT_MS = 10_000;
const CHANGE_TIMEOUT_MS = 25_000;
const STATE_TIMEOUT_MS = 12_000;
/** How long a change may take to show in the page, once it was carried out. */
const SETTLE_TIMEOUT_MS = 3_000;

const noChat = () => new GatewayError('chat_not_found', 'the account has no such chat');

/** Handlers of the operations on one chat. */
export function chatChangeHandlers({
  page,
}: HandlerContext): Handlers<'getChat' | 'markChatRead' | 'markChatUnread' | 'setChatState'> {
  return {
    getChat: async ({ chatId }) => {
      const [chat] = toChats([await page.read(READ_TIMEOUT_MS, findChat, chatId)]);
      if (chat) return chat;
      throw noChat();
    },

    markChatRead: async ({ chatId }) =>
      changed(await page.change(CHANGE_TIMEOUT_MS, markChatRead, chatId, SETTLE_TIMEOUT_MS)),

    markChatUnread: async ({ chatId }) =>
      changed(await page.change(CHANGE_TIMEOUT_MS, markChatUnread, chatId, SETTLE_TIMEOUT_MS)),

    setChatState: async ({ chatId, state, seconds }) => {
      const shown = await page.change(STATE_TIMEOUT_MS, setChatState, chatId, state, seconds * 1_000);
      if (shown === 'no_chat') throw noChat();
      if ('refused' in shown) throw refusedBy(shown.refused);
      const endsAt = new Date(Date.now() + seconds * 1_000).toISOString();
      return { chatId: shown.id, state, ...(state === 'paused' ? {} : { endsAt }) };
    },
  };
}

/** The chat after a change. */
function changed(outcome: ChatOutcome): Chat {
  if (outcome === 'no_chat') throw noChat();
  if (outcome === 'ignored')
    throw new GatewayError('client_failed', 'the web client did not carry it out; the network may have refused it');
  const [chat] = toChats([outcome]);
  if (chat) return chat;
  throw new GatewayError('outcome_unknown', 'the request succeeded, but the web client returned an invalid chat');
}
