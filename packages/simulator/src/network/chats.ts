import { SimulatorError } from '../errors.ts';
import type { WireMarks, WireOlderMessagesLeft } from '../page/wire.ts';
import { notifyDevices } from './account.ts';
import { createMessageId, peerOf } from './message.ts';
import { peerIdForDevices } from './message-views.ts';
import { type AccountRecord, type Connection, type Device, type GroupRecord, Message, type Peer } from './records.ts';

const UNMARKED: WireMarks = {
  isUnread: false,
  isArchived: false,
  pinnedAtMs: 0,
  mutedUntil: 0,
  labels: [],
  messageTimer: 0,
};

/** The marks that an account has set in one of its chats. */
export function marksOf(account: AccountRecord, peer: Peer): WireMarks {
  return account.marks.get(peer) ?? UNMARKED;
}

/** Sets marks in a chat, and notifies the account's devices except `origin`. */
export function mark(account: AccountRecord, peer: Peer, change: Partial<WireMarks>, origin?: Device): void {
  const marks = { ...marksOf(account, peer), ...change };
  account.marks.set(peer, marks);
  notifyDevices(account, { type: 'marks', chat: peerIdForDevices(peer), marks }, origin);
}

/** Clears a chat of an account, or with `isDeleted` deletes it; notifies the account's devices except `origin`. */
export function clear(account: AccountRecord, peer: Peer, isDeleted: boolean, origin?: Device): void {
  for (const message of account.log) if (peerOf(message, account) === peer) message.hiddenFrom.add(account);
  if (isDeleted) account.marks.delete(peer);
  const [to, from] = isDeleted ? [account.deletedChats, account.keptChats] : [account.keptChats, account.deletedChats];
  to.add(peer);
  from.delete(peer);
  notifyDevices(account, { type: 'cleared', chat: peerIdForDevices(peer), isDeleted }, origin);
}

/** The chats that an account keeps without messages: groups, and those that it has cleared. */
export function emptyChatsOf(account: AccountRecord, groups: readonly GroupRecord[]): Peer[] {
  return [...groups.filter((group) => !account.deletedChats.has(group)), ...account.keptChats];
}

/** How many a phone sends at once. */
const MAX_OLDER_MESSAGES = 50;
const DAY_SECONDS = 86_400;

/** Gives an account messages from before all others of a chat; linked devices get them only on request. */
export function keepOlderMessages(account: AccountRecord, peer: Peer, count: number): void {
  if (peer.kind !== 'person') throw new SimulatorError(400, 'with: must be a person');
  const first = account.log.find((message) => peerOf(message, account) === peer);
  const before = first?.timestamp ?? Math.floor(Date.now() / 1_000);
  const old = Array.from({ length: count }, (_, index) => {
    const timestamp = before - DAY_SECONDS * (count - index);
    const body = `Old message ${index + 1}`;
    const parts = { id: createMessageId(peer), from: peer, to: account, body, timestamp };
    return new Message({ ...parts, ack: 3, receipts: new Map([[account, 3]]) });
  });
  account.log.unshift(...old);
  for (const message of old) account.olderMessages.add(message);
}

/** Whether there are such messages of a chat. */
export function olderMessagesLeft(account: AccountRecord, peer: Peer): WireOlderMessagesLeft {
  const old = olderMessagesOf(account, peer);
  if (old.length === 0) return 1;
  return old.length < account.log.filter((message) => peerOf(message, account) === peer).length ? 0 : 3;
}

/** Answers a device's request for them. A phone that is off does not answer. */
export function sendOlderMessages(account: AccountRecord, peer: Peer, connection: Connection | undefined): void {
  if (!account.phoneOn) return;
  const { olderMessagesAnswer } = account;
  const sent = olderMessagesAnswer === 'not_shared' ? [] : olderMessagesOf(account, peer).slice(-MAX_OLDER_MESSAGES);
  for (const message of sent) account.olderMessages.delete(message);
  const refusals = { shared: undefined, not_shared: 5, ended: 4 } as const;
  const left = refusals[olderMessagesAnswer] ?? olderMessagesLeft(account, peer);
  connection?.send({ type: 'older', chat: peerIdForDevices(peer), left });
}

function olderMessagesOf(account: AccountRecord, peer: Peer): Message[] {
  return [...account.olderMessages].filter((message) => peerOf(message, account) === peer);
}
