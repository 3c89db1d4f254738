import { Collection } from '../collection.ts';
import type { Connection } from '../connection.ts';
import { Model } from '../model.ts';
import { calls } from '../models/calls.ts';
import { type Chat, chats, mutes, newsletters } from '../models/chat.ts';
import { blocklist, Contact, contacts } from '../models/contact.ts';
import { groups } from '../models/group-metadata.ts';
import { type LabelAction, labels, labelsAfter } from '../models/labels.ts';
import { type Msg, messages } from '../models/message.ts';
import { newsletterMetadata } from '../models/newsletter-metadata.ts';
import { statuses } from '../models/statuses.ts';
import { MsgKey } from '../msg-key.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { createWid, type Wid } from '../wid.ts';
import type { WireBusinessProfile } from '../wire.ts';
import { findOrCreateChat } from './chat-modules.ts';
import { searchLoadedMessages } from './message-query-modules.ts';

/** The collections, with the look-ups that send requests. */
export function collectionModules(page: Page): Modules {
  const getMessagesById = async (keys: readonly (string | MsgKey | undefined)[]) => {
    // These are passed to the page's database unchanged, such as the `_serialized` of a key that has none.
    if (!keys.every((key) => key !== undefined)) {
      const why = "Failed to execute 'get' on 'IDBObjectStore': No key or key range specified.";
      throw new DOMException(why, 'DataError');
    }
    const found = await Promise.all(keys.map((key) => page.mailbox.find(MsgKey.from(key))));
    return { messages: found.filter((msg): msg is Msg => msg !== undefined) };
  };
  const findContact = async (id: string | Wid) => {
    const wid = createWid(id);
    if (wid.isUser()) await page.users.resolve(wid);
    return contacts.get(wid) ?? new Contact({ id: wid, type: 'out', isMe: false });
  };
  const Msg = Object.assign(messages, { getMessagesById, search: searchMessages });
  const ChatCollection = Object.assign(chats, {
    find: async (id: string | Wid) => findOrCreateChat(page.users, createWid(id)),
  });
  const ContactCollection = Object.assign(contacts, { find: findContact, gadd: addContact });
  const GroupMetadata = Object.assign(groups, {
    find: (id: string | Wid) => page.groupQueries.find(createWid(id)),
    update: (id: string | Wid) => page.groupQueries.update(createWid(id)),
  });
  const Status = Object.assign(statuses, {
    find: async (id: string | Wid) => statuses.get(id),
    // All are present from the login on.
    sync: async () => statuses.getModelsArray(),
    getMyStatus: () => statuses.get(page.users.self?.lid) ?? statuses.get(page.users.self?.pn),
  });
  return {
    WAWebCollections: {
      Msg,
      Chat: ChatCollection,
      Contact: ContactCollection,
      Blocklist: blocklist,
      Label: Object.assign(labels, {
        addOrRemoveLabelsMD: (actions: readonly LabelAction[], chosen: readonly Chat[]) => {
          for (const chat of chosen) chat.set({ labels: labelsAfter(chat, actions) });
        },
      }),
      BusinessProfile: Object.assign(businessProfiles, {
        find: (id: string | Wid) => findBusinessProfile(page.connection, createWid(id)),
        fetchBizProfile: (id: string | Wid) => fetchBusinessProfile(page.connection, createWid(id)),
      }),
      // Under the first name in older builds, under the second in newer ones.
      GroupMetadata,
      WAWebGroupMetadataCollection: GroupMetadata,
      Status,
      WAWebNewsletterCollection: newsletters,
      Mute: mutes,
      WAWebNewsletterMetadataCollection: newsletterMetadata,
    },
    WAWebMsgCollection: { MsgCollection: Msg },
    WAWebChatCollection: { ChatCollection },
    WAWebContactCollection: { ContactCollection },
    WAWebBlocklistCollection: { BlocklistCollection: blocklist },
    // A default export, which `require` gives as it is.
    WAWebGroupMetadataCollection: GroupMetadata,
    WAWebNewsletterMetadataCollection: newsletterMetadata,
    WAWebStatusCollection: { StatusCollection: Status },
    // A default export, too.
    WAWebCallCollection: calls,
    WAWebVoipStackInterface: {
      getVoipStackInterface: async () => ({
        // Applies to the call that rings; no answer of the network is awaited.
        rejectCall: async () => {
          const { activeCall } = calls;
          if (activeCall) await page.connection.request('reject-call', { id: activeCall.id });
        },
      }),
    },
  };
}

function addContact(id: Wid): Contact {
  return contacts.get(id) ?? contacts.add(new Contact({ id, type: 'in', isMe: false }));
}

/** How long a search in all chats is answered from memory. */
const SEARCH_CACHE_MS = 60_000;
const searches = new Map<string, Promise<object>>();

/** Its first page without a chat comes from a cache by the text only, whatever count is requested. */
function searchMessages(query: string, page = 1, count = 100, remote?: Wid): Promise<object> {
  const search = async () => {
    const { messages, eof } = searchLoadedMessages({ searchTerm: query, page, count, remote });
    return { messages, eof, canceled: false };
  };
  if (page !== 1 || remote) return search();
  const answer = searches.get(query) ?? search();
  if (!searches.has(query)) setTimeout(() => searches.delete(query), SEARCH_CACHE_MS);
  searches.set(query, answer);
  return answer;
}

interface BusinessProfileAttributes {
  id: Wid;
  description: string | undefined;
  address: string | null;
  email: string | undefined;
  website: readonly { readonly url: string }[];
  categories: readonly { readonly id: string; readonly localized_display_name: string }[];
  businessHours: object | null;
}

/** The public profile of a business; only the id if it has published nothing. */
class BusinessProfile extends Model<BusinessProfileAttributes> {
  static override readonly props = ['id', 'description', 'address', 'email', 'website', 'categories', 'businessHours'];
}

const businessProfiles = new Collection<BusinessProfile>(BusinessProfile);

/** The profile of a business, requested from the network. */
function fetchBusinessProfile(connection: Connection, id: Wid): Promise<BusinessProfile> {
  const present = businessProfiles.get(id);
  if (present) businessProfiles.remove(present);
  return findBusinessProfile(connection, id);
}

/** The same, requested only if the page does not have it. */
async function findBusinessProfile(connection: Connection, id: Wid): Promise<BusinessProfile> {
  const present = businessProfiles.get(id);
  if (present) return present;
  const profile = await connection.request('business-profile', { id: String(id) });
  return businessProfiles.add(new BusinessProfile({ id, ...(profile ? attributesOf(profile) : {}) }));
}

function attributesOf(profile: WireBusinessProfile): Partial<BusinessProfileAttributes> {
  const { description, address, email, websites, categories, timezone, days } = profile;
  const config = Object.entries(days ?? {}).map(([day, hours]) => {
    return [day, hours.length > 0 ? { mode: 'specific_hours', hours } : { mode: 'open_24h' }] as const;
  });
  return {
    description,
    email,
    address: address ?? null,
    website: websites.map((url) => ({ url })),
    categories: categories.map((name, index) => ({ id: String(index), localized_display_name: name })),
    businessHours: days ? { config: Object.fromEntries(config), timezone } : null,
  };
}
