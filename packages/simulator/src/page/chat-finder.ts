import { type Chat, chats, openChat } from './models/chat.ts';
import { switches } from './switches.ts';
import type { Users } from './users.ts';
import type { Wid } from './wid.ts';

/**
 * The chat with that person, opened if need be; its id may be the person's other one. Throws for somebody who is
 * not registered. The status feed becomes a chat, too; a group is only found, unless the build makes a chat of
 * whatever it is asked for.
 */
export async function findOrCreateChat(users: Users, id: Wid): Promise<Chat | undefined> {
  if (id.isStatus()) return openChat(String(id), 'Status');
  if (!id.isUser()) return chats.get(id) ?? openUnknown(id);
  const user = await users.resolve(id);
  if (!user) throw new Error(`No LID for user ${id}`);
  return openChat(user.chat, users.titleOf(user.chat));
}

function openUnknown(id: Wid): Chat | undefined {
  return id.isGroup() && switches.unknownGroups === 'created' ? openChat(String(id), '') : undefined;
}
