import type { OwnGroup, PageChat, PageWindow } from './window.ts';

declare const window: PageWindow;

/** All chats, from the page's memory: the network is not queried. */
export function listChats() {
  const { isChat, chatModel } = window.chatWebTools;
  return window.require('WAWebCollections').Chat.getModelsArray().filter(isChat).map(chatModel);
}

/**
 * All groups. Members that are not loaded are queried, two groups at a time: the network limits the rate of queries.
 * Groups whose members are not loaded in time are listed without them.
 */
export async function listGroups(timeoutMs: number) {
  const { Chat } = window.require('WAWebCollections');
  const atOnce = 2;
  const eachMs = 5_000;
  const deadline = Date.now() + timeoutMs;
  const groups = Chat.getModelsArray().filter(({ id }) => String(id).endsWith('@g.us'));
  const waiting = [...groups];
  const owned = new Map<PageChat, OwnGroup>();
  const work = async () => {
    for (let chat = waiting.shift(); chat; chat = waiting.shift()) {
      const own = await window.chatWebTools.ownGroup(String(chat.id), Math.min(eachMs, deadline - Date.now()));
      if (own) owned.set(chat, own);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return groups.map((chat) => {
    const own = owned.get(chat);
    return {
      id: String(chat.id),
      subject: chat.formattedTitle ?? chat.name,
      participantCount: own?.members?.length ?? chat.groupMetadata?.size,
      isMember: own !== undefined,
      isAdmin: own?.isAdmin,
    };
  });
}
