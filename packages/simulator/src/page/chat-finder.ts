import { type Chat, chats, openChat } from './models/chat.ts';
import { switches } from './switches.ts';
import type { Users } from './users.ts';
import type { Wid } from './wid.ts';

/**
 * The chat with that person, opened if necessary; its id may be the person's other one. Throws for a person who is not
 * registered. Also opens the status feed as a chat, and an unknown group if the build creates chats for those.
 */
export async function findOrCreateChat(users: Users, id: Wid): Promise<Chat | undefined> {
  if (id.isStatus()) return openChat(String(id), 'Status');
  if (!id.isUser()) return chats.get(id) ?? openUnknown(id);
  const user = await users.resolve(id);
  if (!user) throw new Error(`No LID for user ${id}`);
  return openChat(user.chat, users.titleOf(user.chat), user);
}

function openUnknown(id: Wid): Chat | undefined {
  return id.isGroup() && switches.unknownGroups === 'created' ? openChat(String(id), '') : undefined;
}
