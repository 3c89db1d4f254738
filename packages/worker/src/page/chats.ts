import type { PageChat } from './models.ts';
import { chatModel } from './tools/chats.ts';
import { loadGroups, ownGroup } from './tools/groups.ts';
import { eachReadable } from './tools/identities.ts';
import { isChat } from './tools/messages.ts';

/** All readable chats, from the page's memory, without a query to the network. */
export function listChats() {
  const all = window.require('WAWebCollections').Chat.getModelsArray();
  return eachReadable(all, (chat) => (isChat(chat) ? chatModel(chat) : [])).flat();
}

/** All groups. A group whose members are not loaded in time is listed without members. */
export async function listGroups(timeoutMs: number) {
  const { Chat } = window.require('WAWebCollections');
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
