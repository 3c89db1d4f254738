import type { WireMarks } from '../page/wire.ts';
import { notifyDevices } from './account.ts';
import { partyOf } from './message.ts';
import { chatIdIn } from './message-views.ts';
import type { AccountRecord, Device, GroupRecord, Party } from './records.ts';

const unmarked: WireMarks = { isUnread: false, isArchived: false, pinnedAtMs: 0, mutedUntil: 0, labels: [] };

/** The marks that an account has set in one of its chats. */
export function marksOf(account: AccountRecord, party: Party): WireMarks {
  return account.marks.get(party) ?? unmarked;
}

/** Sets marks in a chat, and notifies the account's devices except `origin`. */
export function mark(account: AccountRecord, party: Party, change: Partial<WireMarks>, origin?: Device): void {
  const marks = { ...marksOf(account, party), ...change };
  account.marks.set(party, marks);
  notifyDevices(account, { type: 'marks', chat: chatIdIn(party), marks }, origin);
}

/** Clears a chat of an account, or with `isDeleted` deletes it; notifies the account's devices except `origin`. */
export function clear(account: AccountRecord, party: Party, isDeleted: boolean, origin?: Device): void {
  for (const message of account.log) if (partyOf(message, account) === party) message.hiddenFrom.add(account);
  if (isDeleted) account.marks.delete(party);
  const [to, from] = isDeleted ? [account.deletedChats, account.keptChats] : [account.keptChats, account.deletedChats];
  to.add(party);
  from.delete(party);
  notifyDevices(account, { type: 'cleared', chat: chatIdIn(party), isDeleted }, origin);
}

/** The chats that an account keeps without messages: groups, and those that it has cleared. */
export function emptyChatsOf(account: AccountRecord, groups: readonly GroupRecord[]): Party[] {
  return [...groups.filter((group) => !account.deletedChats.has(group)), ...account.keptChats];
}
