import type { Chat } from '../models/chat.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { ServerStatusCodeError } from '../server-status-code-error.ts';
import type { Wid } from '../wid.ts';
import type { ChatStateName } from '../wire.ts';

interface Seen {
  readonly chat: Chat;
  readonly afterAvailable?: boolean;
}

const idOf = (chat: Chat) => String(chat.get('id'));

/** What the user does with a whole chat. */
export function chatActionModules({ connection, appState }: Page): Modules {
  const show = (state: ChatStateName) => async (to: Wid) =>
    connection.send({ type: 'chat-state', to: to.toJid(), state });
  return {
    WAWebUpdateUnreadChatAction: {
      // The account is never shown as online here: with `afterAvailable`, the receipts wait for ever.
      sendSeen: async ({ chat, afterAvailable = true }: Seen) => {
        if (afterAvailable || chat.get('unreadCount') === 0) return;
        try {
          await connection.request('seen', { chat: idOf(chat) });
          chat.set({ unreadCount: 0 });
        } catch (error) {
          // It only goes to the log of the page.
          if (!(error instanceof ServerStatusCodeError)) throw error;
        }
      },
      markUnread: async (chat: Chat) => {
        if (chat.get('unreadCount') === 0) chat.set({ unreadCount: -1 });
        appState.push('mark-chat', { chat: idOf(chat), marks: { isUnread: true } });
      },
    },
    WAWebChatStateBridge: {
      sendChatStateComposing: show('typing'),
      sendChatStateRecording: show('recording'),
      sendChatStatePaused: show('paused'),
    },
  };
}
