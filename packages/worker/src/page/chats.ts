import type { PageChat, PageWindow } from './window.ts';

declare const window: PageWindow;

/** All readable chats, from the page's memory, without a query to the network. */
export function listChats() {
  const { eachReadable, isChat, chatModel } = window.chatWebTools;
  const all = window.require('WAWebCollections').Chat.getModelsArray();
  return eachReadable(all, (chat) => (isChat(chat) ? chatModel(chat) : [])).flat();
}

/** All groups. A group whose members are not loaded in time is listed without members. */
export async function listGroups(timeoutMs: number) {
  const { Chat } = window.require('WAWebCollections');
  const { loadGroups, ownGroup } = window.chatWebTools;
  const groups = Chat.getModelsArray().filter(({ id }) => String(id).endsWith('@g.us'));
  await loadGroups(groups, timeoutMs);
  const readGroup = async (chat: PageChat) => {
    const own = await ownGroup(String(chat.id), 0);
    return {
      id: String(chat.id),
      subject: chat.formattedTitle ?? chat.name,
      participantCount: own?.members?.length ?? chat.groupMetadata?.size,
      isMember: own !== undefined,
      isAdmin: own?.isAdmin,
    };
  };
  return Promise.all(groups.map(readGroup));
}
