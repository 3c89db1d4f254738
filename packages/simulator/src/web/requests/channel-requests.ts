import { marksOf } from '../../network/chat-marks.ts';
import { deviceView } from '../../network/message-views.ts';
import type { Network } from '../../network/network.ts';
import { channelView, follow, unfollow } from '../../network/newsletter.ts';
import type { Newsletter } from '../../network/records.ts';
import { NetworkRefusal } from '../../network/refusal.ts';
import type { Handlers } from './handler.ts';

type Names = 'channel' | 'follow-channel' | 'channel-add-ons' | 'unfollow-channel';

const previewed = 20;

/** Requests of a device about channels. */
export const channelRequests: Handlers<Names> = {
  channel: (network, { account }, { key }) => {
    const newsletter = known(network, key);
    const messages = newsletter.log.slice(-previewed).map((message) => deviceView(message, account));
    const channel = channelView(newsletter, account);
    const marks = marksOf(account, newsletter);
    return { channel, chat: { id: newsletter.id, unreadCount: 0, left: 1, marks, messages, channel } };
  },
  'follow-channel': (network, { account }, { id }) => {
    follow(known(network, id), account);
    return null;
  },
  'channel-add-ons': () => null,
  'unfollow-channel': (network, { account }, { id }) => {
    const newsletter = known(network, id);
    if (!newsletter.followers.has(account)) throw new NetworkRefusal(400, `${account.number} does not follow it`);
    unfollow(newsletter, account);
    return null;
  },
};

function known({ newsletters }: Network, key: string): Newsletter {
  const found = newsletters.find(key);
  if (!found) throw new NetworkRefusal(404, 'newsletter-deleted-or-non-existing');
  return found;
}
