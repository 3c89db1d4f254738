import type { PageChat, PageId } from '../window.ts';
import { type Contract, fn } from './part.ts';

type ShowState = (id: PageId) => Promise<unknown> | undefined;

/** Modules for what is done with a whole chat. */
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
  WAWebChatClearBridge: { sendClear(chat: PageChat, unused: false, keepStarred: boolean): Promise<unknown> };
  WAWebDeleteChatAction: { sendDelete(chat: PageChat, showToast: boolean): Promise<unknown> };
  WAWebChatStateBridge: {
    sendChatStateComposing: ShowState;
    sendChatStateRecording: ShowState;
    sendChatStatePaused: ShowState;
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
      '(chat, archived, showToast) → Promise; rejects if it is so already; of a call that is under way, its promise',
      'archiveChat',
    ),
  },
  WAWebSetPinChatAction: { setPin: fn('(chat, pinned) → Promise; checks no limit', 'pinChat') },
  WAWebChatPinBridge: {
    getNumConversationsPinned: fn('(chat id) → Promise of a number', 'pinChat'),
    getPinLimit: fn('(chat id) → the most that may be pinned', 'pinChat'),
  },
  WAWebChatClearBridge: {
    sendClear: fn(
      '(chat, unused, keepStarred) → Promise<{result: ids}>; resolves before the network has it',
      'clearChat',
    ),
  },
  WAWebDeleteChatAction: {
    sendDelete: fn('(chat, showToast) → Promise; resolves before the network has it', 'deleteChat'),
  },
  WAWebChatStateBridge: {
    sendChatStateComposing: state('typing'),
    sendChatStateRecording: state('recording'),
    sendChatStatePaused: state('neither'),
  },
};
