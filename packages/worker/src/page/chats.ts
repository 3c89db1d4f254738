import type { PageChat, PageWindow } from './window.ts';

declare const window: PageWindow;

/** Every chat in one go, from what the page holds: no question to the network. */
export function listChats() {
  const { Chat, Msg } = window.require('WAWebCollections');
  const { phoneOr } = window.chatWebTools;
  // The status feed and channels are no chats, although the page may list them.
  const isChat = ({ id }: PageChat) => !/@(broadcast|newsletter)$/.test(String(id));
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
  const tools = window.chatWebTools;
  const atOnce = 2;
  const eachMs = 5_000;
  const deadline = Date.now() + timeoutMs;
  const groups = Chat.getModelsArray().filter(({ id }) => String(id).endsWith('@g.us'));
  const waiting = [...groups];
  const left = new Set<PageChat>();
  const work = async () => {
    for (let chat = waiting.shift(); chat; chat = waiting.shift()) {
      const leftMs = Math.min(eachMs, deadline - Date.now());
      if (leftMs <= 0) continue;
      await tools.membersOf(chat, leftMs).catch((error: unknown) => {
        const refused = tools.refusal(error);
        if (refused === 403 || refused === 404) left.add(chat); // Only its members are told who they are.
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return groups.map((chat) => {
    const members = chat.groupMetadata?.participants?.getModelsArray() ?? [];
    const own = members.find(({ id }) => tools.isMe(id));
    const isKnown = members.length > 0;
    return {
      id: String(chat.id),
      subject: chat.formattedTitle ?? chat.name,
      participantCount: isKnown ? members.length : chat.groupMetadata?.size,
      isMember: own !== undefined || (!isKnown && !left.has(chat)),
      isAdmin: isKnown || left.has(chat) ? own?.isAdmin === true || own?.isSuperAdmin === true : undefined,
    };
  });
}
