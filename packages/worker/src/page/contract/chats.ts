import type { PageActivity, PageChat, PageId, PagePresence } from '../window.ts';
import { type Contract, either, fn, object, unchecked } from './part.ts';

/** Serialised ids of the deleted messages. */
interface Cleared {
  readonly result?: readonly string[];
}

type ShowState = (id: PageId) => Promise<unknown> | undefined;

/** Modules for actions on a whole chat. */
export interface ChatModules {
  WAWebUpdateUnreadChatAction: {
    sendSeen(what: { chat: PageChat; afterAvailable: boolean }): Promise<unknown>;
    markUnread(chat: PageChat, isUnread: boolean, showToast: boolean): Promise<unknown>;
  };
  WAWebSetArchiveChatAction: { setArchive(chat: PageChat, archived: boolean, showToast: boolean): Promise<unknown> };
  WAWebSetPinChatAction: { setPin(chat: PageChat, pinned: boolean): Promise<unknown> };
  WAWebChatPinBridge: {
    getNumConversationsPinned(chatId: PageId): Promise<number>;
    getPinLimit(chatId: PageId): number;
  };
  WAWebChatClearBridge: {
    sendClear(chat: PageChat, unused: false, keepStarred: boolean): Promise<Cleared | undefined>;
  };
  WAWebClearChatUtils: { finalizeClearChat(chat: PageChat, clearing: Promise<Cleared | undefined>): Promise<unknown> };
  WAWebDeleteChatAction: {
    sendDelete(chat: PageChat, showToast: boolean): Promise<unknown>;
    sendDeleteWithStatus?(chat: PageChat, showToast: boolean): Promise<boolean>;
  };
  WAWebChatStateBridge: {
    sendChatStateComposing: ShowState;
    sendChatStateRecording: ShowState;
    sendChatStatePaused: ShowState;
  };
  WAWebPresenceCollection: {
    PresenceCollection: {
      gadd(id: PageId): PagePresence;
      getModelsArray(): PagePresence[];
      on(event: string, listener: (what: PagePresence | PageActivity) => void): void;
    };
  };
  WAWebContactPresenceBridge: {
    subscribeUserPresence?(id: PageId): Promise<unknown> | undefined;
    subscribeGroupPresence?(id: PageId): unknown;
    subscribePresence?(id: PageId, token: unknown): Promise<unknown> | undefined;
  };
}

const state = (name: string) => fn(`(id) → Promise; shows ${name} to the chat, without an answer`, 'setChatState');

/** Their parts. */
export const chatParts: Contract<ChatModules> = {
  WAWebUpdateUnreadChatAction: {
    sendSeen: fn(
      '({chat, afterAvailable}) → Promise; resolves if the network refuses; with afterAvailable only once the account is online',
      'markChatRead',
    ),
    markUnread: fn('(chat, true, showToast) → Promise; resolves before the network has it', 'markChatUnread'),
  },
  WAWebSetArchiveChatAction: {
    setArchive: fn(
      '(chat, archived, showToast) → Promise; rejects if nothing changes; while one is running, returns its promise',
      'archiveChat',
    ),
  },
  WAWebSetPinChatAction: { setPin: fn('(chat, pinned) → Promise; checks no limit', 'pinChat') },
  WAWebChatPinBridge: {
    getNumConversationsPinned: fn('(chat id) → Promise of a number', 'pinChat'),
    getPinLimit: fn('(chat id) → the maximum number of pins', 'pinChat'),
  },
  WAWebChatClearBridge: {
    sendClear: fn(
      '(chat, unused, keepStarred) → Promise<{result: ids}>; resolves before the network has it; the models stay',
      'clearChat',
    ),
  },
  WAWebClearChatUtils: {
    finalizeClearChat: fn(
      '(chat, that promise) → Promise; removes the models; resolves if the network refuses',
      'clearChat',
    ),
  },
  WAWebDeleteChatAction: {
    sendDelete: fn('(chat, showToast) → Promise; resolves before the network has it', 'deleteChat'),
    sendDeleteWithStatus: unchecked('the same → Promise<true | false>; false if the page failed'),
  },
  WAWebChatStateBridge: {
    sendChatStateComposing: state('typing'),
    sendChatStateRecording: state('recording'),
    sendChatStatePaused: state('neither'),
  },
  WAWebPresenceCollection: {
    PresenceCollection: object('presence of people and groups', 'presence', 'subscribePresence'),
    'PresenceCollection.gadd': fn('(id) → model with hasData, chatstate {id, type, t}', 'subscribePresence'),
    'PresenceCollection.getModelsArray': fn('() → the same', 'presence'),
    'PresenceCollection.on': fn('(change:chatstate.type | change:hasData, listener(chatstate | model))', 'presence'),
  },
  WAWebContactPresenceBridge: {
    subscribeUserPresence: either(
      fn('(hidden id) → Promise; without an answer', 'subscribePresence'),
      'WAWebContactPresenceBridge.subscribePresence',
    ),
    subscribeGroupPresence: unchecked('(id of a group)'),
    subscribePresence: unchecked('(id, token) → Promise; both in builds before the summer of 2026'),
  },
};
