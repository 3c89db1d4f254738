import type { WireLeft } from '../page/wire.ts';
import { SimulatorError } from '../simulator-error.ts';
import { createMessage, createMessageId, partyOf } from './message.ts';
import { chatIdIn } from './message-views.ts';
import type { AccountRecord, Line, Message, Party } from './records.ts';

/** How many a phone sends at once. */
const mostAtOnce = 50;
const daySeconds = 86_400;

/** Gives an account messages from before all others of a chat; linked devices get them only on request. */
export function keepOld(account: AccountRecord, party: Party, count: number): void {
  if (party.kind !== 'person') throw new SimulatorError(400, 'with: must be a person');
  const first = account.log.find((message) => partyOf(message, account) === party);
  const before = first?.timestamp ?? Math.floor(Date.now() / 1_000);
  const old = Array.from({ length: count }, (_, index) => {
    const timestamp = before - daySeconds * (count - index);
    const body = `Old message ${index + 1}`;
    const parts = { id: createMessageId(party), from: party, to: account, body, timestamp };
    return createMessage({ ...parts, ack: 3, receipts: new Map([[account, 3]]) });
  });
  account.log.unshift(...old);
  for (const message of old) account.onlyOnPhone.add(message);
}

/** Whether there are such messages of a chat. */
export function leftOnPhone(account: AccountRecord, party: Party): WireLeft {
  const old = oldOf(account, party);
  if (old.length === 0) return 1;
  return old.length < account.log.filter((message) => partyOf(message, account) === party).length ? 0 : 3;
}

/** Answers a device's request for them. A phone that is off does not answer. */
export function askForOld(account: AccountRecord, party: Party, line: Line | undefined): void {
  if (!account.phoneOn) return;
  const { oldMessages } = account;
  const given = oldMessages === 'not_shared' ? [] : oldOf(account, party).slice(-mostAtOnce);
  for (const message of given) account.onlyOnPhone.delete(message);
  const refusals = { shared: undefined, not_shared: 5, ended: 4 } as const;
  const left = refusals[oldMessages] ?? leftOnPhone(account, party);
  line?.send({ type: 'older', chat: chatIdIn(party), left });
}

function oldOf(account: AccountRecord, party: Party): Message[] {
  return [...account.onlyOnPhone].filter((message) => partyOf(message, account) === party);
}
