import type { WireMarks } from '../page/wire.ts';
import { tellDevices } from './account.ts';
import { chatIdIn } from './message-views.ts';
import type { AccountRecord, Device, Party } from './records.ts';

const unmarked: WireMarks = { isUnread: false, isArchived: false, pinnedAtMs: 0, mutedUntil: 0, labels: [] };

/** What an account has set in a chat of its own. */
export function marksOf(account: AccountRecord, party: Party): WireMarks {
  return account.marks.get(party) ?? unmarked;
}

/** Sets something in a chat, and tells the account's devices but the one that has done it. */
export function mark(account: AccountRecord, party: Party, change: Partial<WireMarks>, origin?: Device): void {
  const marks = { ...marksOf(account, party), ...change };
  account.marks.set(party, marks);
  tellDevices(account, { type: 'marks', chat: chatIdIn(party), marks }, origin);
}
