import type { PageChat, PageWindow } from './window.ts';

declare const window: PageWindow;

/** All chats that can be read, from the page's memory: the network is not queried. */
export function listChats() {
  const { eachReadable, isChat, chatModel } = window.chatWebTools;
  const all = window.require('WAWebCollections').Chat.getModelsArray();
  return eachReadable(all, (chat) => (isChat(chat) ? chatModel(chat) : [])).flat();
}

/** All groups. Those whose members are not loaded in time are listed without them. */
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
