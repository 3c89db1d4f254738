import type { WireChat, WireUser } from '../page/wire.ts';
import { emptyChatsOf, marksOf, olderMessagesLeft } from './chats.ts';
import type { Directory } from './directory.ts';
import { groupView } from './group.ts';
import type { Groups } from './groups.ts';
import { peerOf } from './message.ts';
import type { MessageDelivery } from './message-delivery.ts';
import { deviceView, peerIdForDevices } from './message-views.ts';
import { channelView, type Newsletters } from './newsletter.ts';
import type { AccountRecord, Device, GroupRecord, Message, Peer } from './records.ts';

const HISTORY_PER_CHAT = 20;

/** The parts of the network that a login reads. */
export interface Dependencies {
  readonly directory: Directory;
  readonly groups: Groups;
  readonly newsletters: Newsletters;
  readonly delivery: MessageDelivery;
}

/**
 * What a device gets at its login: people, chats and groups of its account, without the messages that still wait for
 * the device.
 */
export function bootstrapData(account: AccountRecord, device: Device, { directory, delivery, ...lists }: Dependencies) {
  const groups = lists.groups.of(account);
  const logs = new Map<Peer, Message[]>(
    [...emptyChatsOf(account, groups), ...lists.newsletters.of(account)].map((peer) => [peer, []]),
  );
  for (const message of account.log) {
    if (device.waiting.has(message) || message.hiddenFrom.has(account)) continue;
    const peer = peerOf(message, account);
    const log = logs.get(peer) ?? [];
    logs.set(peer, log);
    // The device knows the chat.
    if (!account.olderMessages.has(message)) log.push(message);
  }
  const chats = [...logs].map(([peer, log]): WireChat => {
    const unread = delivery.unread(account, peer).filter((message) => !device.waiting.has(message));
    return {
      id: peerIdForDevices(peer),
      marks: marksOf(account, peer),
      unreadCount: unread.length,
      left: olderMessagesLeft(account, peer),
      messages: log.slice(-HISTORY_PER_CHAT).map((message) => deviceView(message, account)),
      group: peer.kind === 'group' ? groupView(peer, account) : undefined,
      channel: peer.kind === 'newsletter' ? channelView(peer, account) : undefined,
    };
  });
  return { users: usersOf(account, [...logs.keys()], groups, directory), chats };
}

/** The people in its address book, its chats and its groups. */
function usersOf(
  account: AccountRecord,
  peers: readonly Peer[],
  groups: readonly GroupRecord[],
  directory: Directory,
): WireUser[] {
  const people = new Set([...account.book.keys(), ...account.blocked]);
  for (const peer of peers) if (peer.kind === 'person') people.add(peer);
  const users = [...people].filter((person) => person !== account).map((person) => directory.describe(person, account));
  const members = new Set(groups.flatMap((group) => [...group.members.keys()]));
  const others = [...members].filter((member) => member !== account && !people.has(member));
  return [...users, ...others.map((member) => directory.describeMember(member, account))];
}
