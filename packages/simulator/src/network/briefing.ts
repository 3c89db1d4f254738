import type { WireChat, WireUser } from '../page/wire.ts';
import { emptyChatsOf, marksOf } from './chat-marks.ts';
import type { Directory } from './directory.ts';
import { groupView } from './group.ts';
import type { Groups } from './groups.ts';
import { partyOf } from './message.ts';
import { chatIdIn, deviceView } from './message-views.ts';
import { channelView, type Newsletters } from './newsletter.ts';
import { leftOnPhone } from './old-messages.ts';
import type { PostOffice } from './post-office.ts';
import type { AccountRecord, Device, GroupRecord, Message, Party } from './records.ts';

const historyPerChat = 20;

/** The data with which a device shows an account. */
export interface Briefing {
  readonly users: WireUser[];
  readonly chats: WireChat[];
}

interface Sources {
  readonly directory: Directory;
  readonly groups: Groups;
  readonly newsletters: Newsletters;
  readonly postOffice: PostOffice;
}

/** People, chats and groups of an account, without the messages that still wait for the device. */
export function brief(account: AccountRecord, device: Device, sources: Sources): Briefing {
  const groups = sources.groups.of(account);
  const logs = new Map<Party, Message[]>(
    [...emptyChatsOf(account, groups), ...sources.newsletters.of(account)].map((party) => [party, []]),
  );
  for (const message of account.log) {
    if (device.waiting.has(message) || message.hiddenFrom.has(account)) continue;
    const party = partyOf(message, account);
    const log = logs.get(party) ?? [];
    logs.set(party, log);
    // The device knows the chat.
    if (!account.onlyOnPhone.has(message)) log.push(message);
  }
  const chats = [...logs].map(([party, log]): WireChat => {
    const unread = sources.postOffice.unread(account, party).filter((message) => !device.waiting.has(message));
    return {
      id: chatIdIn(party),
      marks: marksOf(account, party),
      unreadCount: unread.length,
      left: leftOnPhone(account, party),
      messages: log.slice(-historyPerChat).map((message) => deviceView(message, account)),
      group: party.kind === 'group' ? groupView(party, account) : undefined,
      channel: party.kind === 'newsletter' ? channelView(party, account) : undefined,
    };
  });
  return { users: usersOf(account, [...logs.keys()], groups, sources.directory), chats };
}

/** The people in its address book, its chats and its groups. */
function usersOf(
  account: AccountRecord,
  parties: readonly Party[],
  groups: readonly GroupRecord[],
  directory: Directory,
): WireUser[] {
  const people = new Set([...account.book.keys(), ...account.blocked]);
  for (const party of parties) if (party.kind === 'person') people.add(party);
  const users = [...people].filter((person) => person !== account).map((person) => directory.describe(person, account));
  const members = new Set(groups.flatMap((group) => [...group.members.keys()]));
  const others = [...members].filter((member) => member !== account && !people.has(member));
  return [...users, ...others.map((member) => directory.describeMember(member, account))];
}
