import { findOrCreateChat } from '../chat-finder.ts';
import { type Chat, chats } from '../models/chat.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import type { Wid } from '../wid.ts';

const pageOfMessages = 20;

/** The actions on a chat. */
export function chatModules({ mailbox, users }: Page): Modules {
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
    WAWebChatLoadMessages: {
      loadEarlierMsgs: ({ chat }: { chat: Chat }) => mailbox.loadEarlier(chat, pageOfMessages),
    },
  };
}
