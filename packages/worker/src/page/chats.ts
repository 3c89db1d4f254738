import type { OwnGroup, PageChat, PageWindow } from './window.ts';

declare const window: PageWindow;

/** Every chat in one go, from what the page holds: no question to the network. */
export function listChats() {
  const { Chat, Msg } = window.require('WAWebCollections');
  const { phoneOr, isChat } = window.chatWebTools;
  return Chat.getModelsArray()
    .filter(isChat)
    .map((chat) => {
      const last = chat.lastReceivedKey && Msg.get(String(chat.lastReceivedKey));
      return {
        id: phoneOr(chat.id),
        name: chat.formattedTitle ?? chat.name,
        unreadCount: chat.unreadCount,
        lastActivity: chat.t,
        lastMessage: last && {
          body: last.directPath ? last.caption : last.body,
          timestamp: last.t,
          fromMe: last.id.fromMe,
        },
      };
    });
}

/**
 * Every group in one go. Members that are not loaded are asked for, two groups at a time: the network puts off whoever
 * asks about many at once. Of groups whose members do not become known in time the list says just that.
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
