import type {
  PageBusinessProfile,
  PageChat,
  PageContact,
  PageId,
  PageLabel,
  PageMessage,
  PageMute,
  PageStatus,
} from '../window.ts';
import type { LabelAction } from './labels.ts';
import { modelFields } from './model-fields.ts';
import { type Contract, either, fn, object, unchecked } from './part.ts';

interface Found<T> {
  get(id: unknown): T | undefined;
  getModelsArray(): T[];
}

/** `find` reads the page's database first; neither rejects if the network refuses. */
interface GroupQueries {
  find?(wid: unknown): Promise<unknown>;
  update(wid: unknown): Promise<unknown>;
}

/** Modules for the collections of models. */
export interface CollectionModules {
  WAWebCollections: {
    Blocklist?: Found<{ readonly id: PageId }>;
    BusinessProfile?: {
      find(wid: object): Promise<PageBusinessProfile | undefined>;
      fetchBizProfile?(wid: object): Promise<PageBusinessProfile | undefined>;
    };
    Chat: Found<PageChat> & {
      on?(event: string, listener: (chat: PageChat, value?: unknown, before?: unknown) => void): void;
    };
    Mute?: { on?(event: string, listener: (mute: PageMute) => void): void };
    Label?: Pick<Found<PageLabel>, 'getModelsArray'> & {
      addOrRemoveLabelsMD(actions: readonly LabelAction[], chats: readonly PageChat[]): void;
    };
    Contact: Found<PageContact> & { modelClass: new (values: object) => PageContact };
    WAWebNewsletterCollection?: Found<PageChat>;
    GroupMetadata?: GroupQueries;
    WAWebGroupMetadataCollection?: GroupQueries;
    Status: { getMyStatus(): unknown; getModelsArray(): PageStatus[]; sync?(): Promise<unknown> };
    Msg: {
      get(id: string): PageMessage | undefined;
      getModelsArray(): PageMessage[];
      getMessagesById(ids: string[]): Promise<{ messages?: PageMessage[] } | undefined>;
      search(
        text: string,
        page: number,
        count: number,
        remote: unknown,
      ): Promise<{
        messages?: readonly (PageMessage | undefined)[];
        eof?: boolean;
        canceled?: boolean;
        status?: undefined;
      }>;
      on(event: string, listener: (message: PageMessage, value?: unknown) => void): void;
      off(event: string, listener: (message: PageMessage) => void): void;
      processMultipleMessages?(chatId: unknown, records: readonly PageMessage[], ...more: unknown[]): unknown;
    };
  };
}

/** Modules that the library uses for the collections. */
type OfLibrary =
  | 'WAWebMsgCollection'
  | 'WAWebChatCollection'
  | 'WAWebContactCollection'
  | 'WAWebStatusCollection'
  | 'WAWebBlocklistCollection'
  | 'WAWebGroupMetadataCollection';

/** Their parts. */
export const collectionParts: Contract<CollectionModules, OfLibrary> = {
  WAWebCollections: {
    Msg: either(object('the messages', 'session'), 'WAWebMsgCollection.MsgCollection'),
    'Msg.on': either(fn('(add | change:…, listener(message, value))', 'session'), 'WAWebMsgCollection.MsgCollection'),
    'Msg.get': either(fn('(serialised id) → message', 'session'), 'WAWebMsgCollection.MsgCollection'),
    'Msg.getModelsArray': either(fn('() → messages', 'missedMessages'), 'WAWebMsgCollection.MsgCollection'),
    'Msg.search': either(
      fn(
        '(text, page from 1, count, chat id) → Promise<{messages, eof, canceled}>, from the local index or a cache by text',
        'searchMessages',
      ),
      'WAWebDBMessageFindLocal.msgFindSearch',
    ),
    'Msg.processMultipleMessages': unchecked(
      '(chat id, [record]) → Promise; shows records that are in the database, such as a deletion for everyone; wrapped',
    ),
    'Msg.getMessagesById': unchecked('([serialised id]) → Promise<{messages}>, including messages that are not loaded'),
    Label: unchecked('the labels'),
    'Label.getModelsArray': fn('() → labels', 'listLabels', 'listChatLabels', 'setChatLabels'),
    'Label.addOrRemoveLabelsMD': fn('([{id, type}], chats): shows a change in the models', 'setChatLabels'),
    Chat: either(object('the chats', 'session'), 'WAWebChatCollection.ChatCollection'),
    'Chat.get': either(fn('(id) → chat', 'session'), 'WAWebChatCollection.ChatCollection'),
    'Chat.getModelsArray': either(
      fn('() → chats', 'listChats', 'listGroups', 'missedMessages'),
      'WAWebChatCollection.ChatCollection',
    ),
    'Chat.on': either(
      fn('(change:…, listener(chat, value, before))', 'chat_updated'),
      'WAWebChatCollection.ChatCollection',
    ),
    Mute: unchecked('on(change:expiration, listener({id, expiration}))'),
    Contact: either(
      object('people and groups', 'listContacts', 'getContact', 'listCommonGroups'),
      'WAWebContactCollection.ContactCollection',
    ),
    'Contact.get': either(
      fn('(id) → contact', 'getContact', 'listCommonGroups', 'blockContact', 'unblockContact'),
      'WAWebContactCollection.ContactCollection',
    ),
    'Contact.modelClass': unchecked('class of the contacts: new ({id, isContactBlocked}), for a person without one'),
    'Contact.getModelsArray': either(fn('() → contacts', 'listContacts'), 'WAWebContactCollection.ContactCollection'),
    Blocklist: unchecked('get(id) → there if blocked'),
    'Blocklist.getModelsArray': either(
      fn('() → [{id}]', 'listBlocked'),
      'WAWebBlocklistCollection.BlocklistCollection',
    ),
    BusinessProfile: unchecked('the profiles of businesses'),
    'BusinessProfile.fetchBizProfile': unchecked('(id) → the same, without the cache'),
    'BusinessProfile.find': fn('(id) → Promise of a profile; queries the network', 'getBusinessProfile'),
    Status: either(
      object('getMyStatus() → own feed', 'deleteMessage.status'),
      'WAWebStatusCollection.StatusCollection',
    ),
    'Status.getModelsArray': either(
      fn('() → the statuses by person: id, msgs, handleReadStatus(key)', 'listStatuses', 'markStatusSeen'),
      'WAWebStatusCollection.StatusCollection',
    ),
    WAWebNewsletterCollection: object(
      'the channels, with newsletterMetadata; get(id), getModelsArray()',
      ...(['listChannels', 'getChannel', 'listChannelMessages', 'followChannel'] as const),
      ...(['unfollowChannel', 'postToChannel'] as const),
    ),
    'Status.sync': unchecked('() → Promise; loads the stored statuses'),
    GroupMetadata: unchecked('find(group id) loads the stored members, update(group id) queries them'),
    WAWebGroupMetadataCollection: unchecked('the same, with its name in other builds'),
    ...modelFields,
  },
  // The separate collections, for builds without the module that exports them all.
  WAWebMsgCollection: { MsgCollection: object('the messages') },
  WAWebChatCollection: { ChatCollection: object('the chats') },
  WAWebContactCollection: { ContactCollection: object('people and groups') },
  WAWebStatusCollection: { StatusCollection: object('the status feed, by author') },
  WAWebBlocklistCollection: { BlocklistCollection: object('the blocked people') },
  WAWebGroupMetadataCollection: {},
};
