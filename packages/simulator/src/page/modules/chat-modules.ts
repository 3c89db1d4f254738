import { findOrCreateChat } from '../chat-finder.ts';
import { type Chat, chats } from '../models/chat.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import type { Wid } from '../wid.ts';

const pageOfMessages = 20;

/** What can be done with a chat. */
export function chatModules({ connection, mailbox, users }: Page): Modules {
  const sendSeen = async ({ chat }: { chat: Chat }) => {
    const id = chat.get('id');
    if ((chat.get('unreadCount') ?? 0) === 0 || !id) return;
    chat.set({ unreadCount: 0 });
    // Not awaited: offline, it is made good later.
    void connection.request('read', { chat: String(id) }).catch(() => undefined);
  };
  return {
    WAWebFindChatAction: {
      findOrCreateLatestChat: async (id: Wid) => {
        const created = chats.get(id) === undefined;
        return { chat: await findOrCreateChat(users, id), created };
      },
    },
    WAWebChatGetters: {
      getIsNewsletter: (chat: Chat) => chat.get('id')?.isNewsletter() ?? false,
      getIsBroadcast: (chat: Chat) => chat.get('id')?.isBroadcast() ?? false,
      getIsGroup: (chat: Chat) => chat.get('id')?.isGroup() ?? false,
    },
    WAWebUpdateUnreadChatAction: { sendSeen },
    WAWebChatLoadMessages: {
      loadEarlierMsgs: ({ chat }: { chat: Chat }) => mailbox.loadEarlier(chat, pageOfMessages),
    },
    WAWebChatStateBridge: {
      sendChatStateComposing: async () => undefined,
      sendChatStateRecording: async () => undefined,
      sendChatStatePaused: async () => undefined,
    },
  };
}
