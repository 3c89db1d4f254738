import type {
  PageBusinessProfile,
  PageChat,
  PageContact,
  PageId,
  PageLabel,
  PageMessage,
  PageMute,
  PageStatus,
} from '../models.ts';
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
    /** Contains the blocked people. */
    Blocklist?: Found<{ readonly id: PageId }>;
    /** The profiles of businesses. */
    BusinessProfile?: {
      /** Resolves with a profile. Queries the network. */
      find(wid: object): Promise<PageBusinessProfile | undefined>;
      /** The same, without the cache. */
      fetchBizProfile?(wid: object): Promise<PageBusinessProfile | undefined>;
    };
    /** The chats. */
    Chat: Found<PageChat> & {
      /** Events: `change:` and a field. */
      on?(event: string, listener: (chat: PageChat, value?: unknown, before?: unknown) => void): void;
    };
    /** Events: `change:expiration`. */
    Mute?: { on?(event: string, listener: (mute: PageMute) => void): void };
    /** The labels. */
    Label?: Pick<Found<PageLabel>, 'getModelsArray'> & {
      /** Shows a change in the models. */
      addOrRemoveLabelsMD(actions: readonly LabelAction[], chats: readonly PageChat[]): void;
    };
    /** People and groups. */
    Contact: Found<PageContact> & {
      /** The class of the contacts, for a person without one. */
      modelClass: new (
        values: object,
      ) => PageContact;
    };
    /** The channels, as chats with `newsletterMetadata`. */
    WAWebNewsletterCollection?: Found<PageChat>;
    /** `find` loads the stored members, `update` queries them. */
    GroupMetadata?: GroupQueries;
    /** The same, with its name in other builds. */
    WAWebGroupMetadataCollection?: GroupQueries;
    /** The status feed. */
    Status: {
      getMyStatus(): unknown;
      /** Returns the statuses by person. */
      getModelsArray(): PageStatus[];
      /** Loads the stored statuses. */
      sync?(): Promise<unknown>;
    };
    /** The messages. */
    Msg: {
      /** By the serialised id. */
      get(id: string): PageMessage | undefined;
      getModelsArray(): PageMessage[];
      /** By serialised ids; also messages that are not loaded. */
      getMessagesById(ids: string[]): Promise<{ messages?: PageMessage[] } | undefined>;
      /** From the local index, or from a cache by text. Pages count from 1. */
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
      /** Events: `add`, and `change:` and a field. */
      on(event: string, listener: (message: PageMessage, value?: unknown) => void): void;
      off(event: string, listener: (message: PageMessage) => void): void;
      /** Shows records that are in the database, such as a deletion for everyone. Wrapped. */
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
    Msg: either(object('session'), 'WAWebMsgCollection.MsgCollection'),
    'Msg.on': either(fn('session'), 'WAWebMsgCollection.MsgCollection'),
    'Msg.get': either(fn('session'), 'WAWebMsgCollection.MsgCollection'),
    'Msg.getModelsArray': either(fn('missedMessages'), 'WAWebMsgCollection.MsgCollection'),
    'Msg.search': either(fn('searchMessages'), 'WAWebDBMessageFindLocal.msgFindSearch'),
    'Msg.processMultipleMessages': unchecked(),
    'Msg.getMessagesById': unchecked(),
    Label: unchecked(),
    // () → labels
    'Label.getModelsArray': fn('listLabels', 'listChatLabels', 'setChatLabels'),
    'Label.addOrRemoveLabelsMD': fn('setChatLabels'),
    Chat: either(object('session'), 'WAWebChatCollection.ChatCollection'),
    // (id) → chat
    'Chat.get': either(fn('session'), 'WAWebChatCollection.ChatCollection'),
    // () → chats
    'Chat.getModelsArray': either(
      fn('listChats', 'listGroups', 'missedMessages'),
      'WAWebChatCollection.ChatCollection',
    ),
    'Chat.on': either(fn('chat_updated'), 'WAWebChatCollection.ChatCollection'),
    Mute: unchecked(),
    Contact: either(
      object('listContacts', 'getContact', 'listCommonGroups'),
      'WAWebContactCollection.ContactCollection',
    ),
    // (id) → contact
    'Contact.get': either(
      fn('getContact', 'listCommonGroups', 'blockContact', 'unblockContact'),
      'WAWebContactCollection.ContactCollection',
    ),
    'Contact.modelClass': unchecked(),
    // () → contacts
    'Contact.getModelsArray': either(fn('listContacts'), 'WAWebContactCollection.ContactCollection'),
    Blocklist: unchecked(),
    // () → [{id}]
    'Blocklist.getModelsArray': either(fn('listBlocked'), 'WAWebBlocklistCollection.BlocklistCollection'),
    BusinessProfile: unchecked(),
    'BusinessProfile.fetchBizProfile': unchecked(),
    'BusinessProfile.find': fn('getBusinessProfile'),
    Status: either(object('deleteMessage.status'), 'WAWebStatusCollection.StatusCollection'),
    'Status.getModelsArray': either(fn('listStatuses', 'markStatusSeen'), 'WAWebStatusCollection.StatusCollection'),
    WAWebNewsletterCollection: object(
      'listChannels',
      'getChannel',
      'listChannelMessages',
      'followChannel',
      'unfollowChannel',
      'postToChannel',
    ),
    'Status.sync': unchecked(),
    GroupMetadata: unchecked(),
    WAWebGroupMetadataCollection: unchecked(),
    ...modelFields,
  },
  // The separate collections, for builds without the module that exports them all.
  WAWebMsgCollection: {
    // the messages
    MsgCollection: object(),
  },
  WAWebChatCollection: {
    // the chats
    ChatCollection: object(),
  },
  WAWebContactCollection: {
    // people and groups
    ContactCollection: object(),
  },
  WAWebStatusCollection: {
    // the status feed, by author
    StatusCollection: object(),
  },
  WAWebBlocklistCollection: {
    // the blocked people
    BlocklistCollection: object(),
  },
  WAWebGroupMetadataCollection: {},
};
