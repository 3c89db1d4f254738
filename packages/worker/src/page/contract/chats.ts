import type { PageChat, PageId } from '../window.ts';
import { type Contract, fn } from './part.ts';

type ShowState = (id: PageId) => Promise<unknown> | undefined;

/** Modules for what is done with a whole chat. */
export interface ChatModules {
  WAWebUpdateUnreadChatAction: {
    sendSeen(what: { chat: PageChat; afterAvailable: boolean }): Promise<unknown>;
    markUnread(chat: PageChat, isUnread: boolean, showToast: boolean): Promise<unknown>;
  };
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
  WAWebChatStateBridge: {
    sendChatStateComposing: state('typing'),
    sendChatStateRecording: state('recording'),
    sendChatStatePaused: state('neither'),
  },
};
