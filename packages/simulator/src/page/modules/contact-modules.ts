import type { Contact } from '../models/contact.ts';
import { requestPicture, requestPictureOrWhyNot } from '../models/pictures.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { switches } from '../switches.ts';
import { parseVcard, vcardOf } from '../vcard.ts';
import { createWid, type Wid } from '../wid.ts';

/** Pictures, blocking, the text under a name, and contact cards. */
export function contactModules({ connection, users }: Page): Modules {
  const block = async (contact: Contact, blocked: boolean) => {
    await connection.request('block', { id: String(contact.get('id')), blocked });
  };
  const about = (id: string, text?: string) =>
    connection.request('about', { id, ...(text === undefined ? {} : { text }) });
  return {
    WAWebContactProfilePicThumbBridge: {
      requestProfilePicFromServer:
        switches.pictureRefusals === 'returned'
          ? (chat: { readonly id: Wid }) => requestPictureOrWhyNot(connection, chat)
          : // Takes a chat, as the library hands it over, or an id.
            (chat: Wid | { id: Wid }) => requestPicture(connection, createWid('id' in chat ? chat.id : chat)),
    },
    WAWebBlockContactUtils: { getContactToBlockOnlyUseIfNoAssociatedChat: (contact: Contact) => contact },
    WAWebBlockContactAction: {
      blockContact: ({ contact }: { contact: Contact }) => block(contact, true),
      unblockContact: (contact: Contact) => block(contact, false),
    },
    WAWebContactStatusBridge: {
      getStatus: async ({ wid }: { wid: Wid }) => ({ status: (await about(String(wid))).text }),
      setMyStatus: (text: string) => about(users.self?.pn ?? '', text),
    },
    WAWebFrontendVcardUtils: {
      vcardFromContactModel: (contact: Contact) => ({
        displayName: contact.formattedName,
        vcard: vcardOf(contact.formattedName, contact.get('id')?.user ?? ''),
      }),
    },
    WAWebVcardParsingUtils: { parseVcard },
    WAWebVcardGetNameFromParsed: { vcardGetNameFromParsed: (name: string) => name },
  };
}
