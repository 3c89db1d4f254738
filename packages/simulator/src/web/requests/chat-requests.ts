import { clear, mark, marksOf } from '../../network/chat-marks.ts';
import type { Handlers } from './handler.ts';

type Names = 'seen' | 'mark-chat' | 'clear-chat';

/** Requests of a device about whole chats. */
export const chatRequests: Handlers<Names> = {
  seen: (network, { account, device }, { chat }) => {
    const party = network.party(chat, account, 'chat');
    network.postOffice.read(account, party);
    if (marksOf(account, party).isUnread) mark(account, party, { isUnread: false }, device);
    return null;
  },
  'mark-chat': (network, { account, device }, { chat, marks }) => {
    mark(account, network.party(chat, account, 'chat'), marks, device);
    return null;
  },
  'clear-chat': (network, { account, device }, { chat, isDeleted }) => {
    clear(account, network.party(chat, account, 'chat'), isDeleted, device);
    return null;
  },
};
