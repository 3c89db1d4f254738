import type { PageActivity, PageChat, PageId, PagePresence } from '../models.ts';
import { type Contract, either, fn, object, unchecked } from './part.ts';

/** Serialised ids of the deleted messages. */
interface Cleared {
  readonly result?: readonly string[];
}

/** Shows a state to a chat, without an answer of the network. */
type ShowState = (id: PageId) => Promise<unknown> | undefined;

/** Modules for actions on a whole chat. */
export interface ChatModules {
  WAWebUpdateUnreadChatAction: {
    /**
     * Resolves also if the network refuses. Unless `afterAvailable` is false, a call while the account is unavailable
     * takes effect once it is available. The page calls it for each send. Wrapped.
     */
    sendSeen(what: { chat: PageChat; afterAvailable?: boolean }): Promise<unknown>;
    /** Resolves before the network has it. */
    markUnread(chat: PageChat, isUnread: boolean, showToast: boolean): Promise<unknown>;
  };
  WAWebSetArchiveChatAction: {
    /** Rejects if nothing changes; while one is running, returns its promise. */
    setArchive(chat: PageChat, archived: boolean, showToast: boolean): Promise<unknown>;
  };
  WAWebSetPinChatAction: {
    /** Checks no limit. */
    setPin(chat: PageChat, pinned: boolean): Promise<unknown>;
  };
  WAWebChatPinBridge: {
    getNumConversationsPinned(chatId: PageId): Promise<number>;
    getPinLimit(chatId: PageId): number;
  };
  WAWebChatClearBridge: {
    /** Resolves before the network has it. The models stay. */
    sendClear(chat: PageChat, unused: false, keepStarred: boolean): Promise<Cleared | undefined>;
  };
  WAWebClearChatUtils: {
    /** Removes the models. Resolves also if the network refuses. */
    finalizeClearChat(chat: PageChat, clearing: Promise<Cleared | undefined>): Promise<unknown>;
  };
  WAWebDeleteChatAction: {
    /** Resolves before the network has it. */
    sendDelete(chat: PageChat, showToast: boolean): Promise<unknown>;
    /** The same; resolves with false if the page failed. */
    sendDeleteWithStatus?(chat: PageChat, showToast: boolean): Promise<boolean>;
  };
  WAWebChatStateBridge: {
    sendChatStateComposing: ShowState;
    sendChatStateRecording: ShowState;
    sendChatStatePaused: ShowState;
  };
  WAWebPresenceCollection: {
    /** Presence of people and groups. */
    PresenceCollection: {
      /** Returns the model of the id, which it creates. */
      gadd(id: PageId): PagePresence;
      getModelsArray(): PagePresence[];
      /** Events: `change:chatstate.type`, with the `chatstate`; `change:hasData`, with the model. */
      on(event: string, listener: (what: PagePresence | PageActivity) => void): void;
    };
  };
  WAWebContactPresenceBridge: {
    /** Without an answer. */
    subscribeUserPresence?(id: PageId): Promise<unknown> | undefined;
    subscribeGroupPresence?(id: PageId): unknown;
    /** For both, in builds before the summer of 2026. */
    subscribePresence?(id: PageId, token: unknown): Promise<unknown> | undefined;
  };
}

/** Their parts. */
export const chatParts: Contract<ChatModules> = {
  WAWebUpdateUnreadChatAction: {
    sendSeen: fn('markChatRead'),
    markUnread: fn('markChatUnread'),
  },
  WAWebSetArchiveChatAction: { setArchive: fn('archiveChat') },
  WAWebSetPinChatAction: { setPin: fn('pinChat') },
  WAWebChatPinBridge: {
    getNumConversationsPinned: fn('pinChat'),
    getPinLimit: fn('pinChat'),
  },
  WAWebChatClearBridge: { sendClear: fn('clearChat') },
  WAWebClearChatUtils: { finalizeClearChat: fn('clearChat') },
  WAWebDeleteChatAction: {
    sendDelete: fn('deleteChat'),
    sendDeleteWithStatus: unchecked(),
  },
  WAWebChatStateBridge: {
    sendChatStateComposing: fn('setChatState'),
    sendChatStateRecording: fn('setChatState'),
    sendChatStatePaused: fn('setChatState'),
  },
  WAWebPresenceCollection: {
    PresenceCollection: object('presence', 'subscribePresence'),
    'PresenceCollection.gadd': fn('subscribePresence'),
    'PresenceCollection.getModelsArray': fn('presence'),
    'PresenceCollection.on': fn('presence'),
  },
  WAWebContactPresenceBridge: {
    subscribeUserPresence: either(fn('subscribePresence'), 'WAWebContactPresenceBridge.subscribePresence'),
    subscribeGroupPresence: unchecked(),
    subscribePresence: unchecked(),
  },
};
