import type { PageWindow } from './window.ts';

declare const window: PageWindow;

/** Every chat in one go, from what the page holds: no question to the network. */
export function listChats() {
  const { Chat, Msg } = window.require('WAWebCollections');
  const { phoneOr } = window.chatWebTools;
  // The status feed is no chat, although the page lists it as one once something has been posted.
  const chats = Chat.getModelsArray().filter(({ id }) => !String(id).endsWith('@broadcast'));
  return chats.map((chat) => {
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

/** Every group in one go; only for one whose members are not loaded the network is asked. */
export async function listGroups(timeoutMs: number) {
  const { Chat, GroupMetadata, WAWebGroupMetadataCollection } = window.require('WAWebCollections');
  const metadata = GroupMetadata ?? WAWebGroupMetadataCollection;
  const load = (id: unknown) =>
    Promise.race([metadata?.update(id), new Promise((resolve) => setTimeout(resolve, timeoutMs))]).catch(() => {});
  const groups = Chat.getModelsArray().filter(({ id }) => String(id).endsWith('@g.us'));
  return await Promise.all(
    groups.map(async (chat) => {
      if (!chat.groupMetadata?.participants.getModelsArray().length) await load(chat.id);
      const members = chat.groupMetadata?.participants.getModelsArray() ?? [];
      const self = members.find(({ id }) => window.chatWebTools.isMe(id));
      return {
        id: String(chat.id),
        subject: chat.formattedTitle ?? chat.name,
        participantCount: members.length,
        // Without members nothing is known; that is no reason to hide the group.
        isMember: self !== undefined || members.length === 0,
        isAdmin: self?.isAdmin === true || self?.isSuperAdmin === true,
      };
    }),
  );
}
