import { findOrCreateChat } from '../chat-finder.ts';
import { Collection } from '../collection.ts';
import { chats } from '../models/chat.ts';
import { Contact, contacts } from '../models/contact.ts';
import { type Msg, messages } from '../models/message.ts';
import { MsgKey } from '../msg-key.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { createWid, type Wid } from '../wid.ts';

/** The collections, with the look-ups that ask the network. */
export function collectionModules(page: Page): Modules {
  const getMessagesById = async (keys: readonly (string | MsgKey)[]) => {
    const found = await Promise.all(keys.map((key) => page.mailbox.find(MsgKey.from(key))));
    return { messages: found.filter((msg): msg is Msg => msg !== undefined) };
  };
  const findContact = async (id: string | Wid) => {
    const wid = createWid(id);
    await page.users.resolve(wid);
    return contacts.get(wid) ?? new Contact({ id: wid, type: 'in', isMe: false });
  };
  return {
    WAWebCollections: {
      Msg: Object.assign(messages, { getMessagesById }),
      Chat: Object.assign(chats, { find: async (id: string | Wid) => findOrCreateChat(page.users, createWid(id)) }),
      Contact: Object.assign(contacts, { find: findContact }),
      Blocklist: new Collection<Contact>(Contact),
    },
    // The library looks for the map of calls inside, to wrap its `set`.
    WAWebCallCollection: Object.assign(new Collection<Contact>(Contact), { calls: new Map<string, unknown>() }),
  };
}
