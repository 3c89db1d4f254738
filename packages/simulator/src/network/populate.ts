import { randomInt } from 'node:crypto';
import type { PopulateAmounts } from '../control/inputs.ts';
import { SimulatorError } from '../errors.ts';
import { savedOnPhone } from './account.ts';
import { createMessageId } from './message.ts';
import type { Network } from './network.ts';
import { type AccountRecord, Message, type Peer } from './records.ts';

const MEMBERS_PER_GROUP = 5;
const MINUTE_SECONDS = 60;

/** Gives an account contacts, chats and groups. These people do not have it as a contact, and do nothing. */
export function populate(network: Network, account: AccountRecord, amounts: PopulateAmounts): void {
  const { chats = 0, contacts = 0, groups = 0 } = amounts;
  const saved = Array.from({ length: contacts }, () => registerPerson(network));
  for (const person of saved) account.book.set(person, savedOnPhone(person.name));
  const strangers = Array.from({ length: Math.max(0, chats - contacts) }, () => registerPerson(network));
  const people = [...saved, ...strangers];
  // The first is the newest, as in a list of chats.
  for (const [index, person] of people.slice(0, chats).entries()) {
    addConversation(account, person, person, index, `Message of chat ${index + 1}`);
  }
  for (let index = 0; index < groups; index += 1) {
    const others = Array.from({ length: MEMBERS_PER_GROUP }, (_, at) => people[(index + at) % people.length]);
    addGroup(network, account, others, index);
  }
  network.linking.refresh(account);
}

/** Half of the groups are the account's own, in the others it is a plain member. */
function addGroup(network: Network, account: AccountRecord, others: (AccountRecord | undefined)[], at: number): void {
  const members = new Set(others.filter((person) => person !== undefined));
  const [first = account] = members;
  const creator = at % 2 === 0 ? account : first;
  const group = network.groups.create(creator, { subject: `Group ${at + 1}`, addressing: 'pn', restrict: true });
  for (const member of [account, ...members]) if (member !== creator) group.members.set(member, 'member');
  addConversation(account, group, first, at, `Message of group ${at + 1}`);
}

/** Adds an old message that was read, at its place in the logs. */
function addConversation(
  account: AccountRecord,
  to: Peer,
  other: AccountRecord,
  minutesAgo: number,
  body: string,
): void {
  const timestamp = Math.floor(Date.now() / 1000) - MINUTE_SECONDS * (minutesAgo + 1);
  const message = new Message({
    id: createMessageId(other),
    from: other,
    to: to.kind === 'person' ? account : to,
    body,
    timestamp,
    ack: 3,
  });
  message.receipts.set(account, 3);
  other.log.push(message);
  if (other !== account) account.log.unshift(message);
}

function registerPerson({ directory }: Network): AccountRecord {
  // No country has the code 999.
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const number = `999${String(randomInt(1e9)).padStart(9, '0')}`;
    if (!directory.find(number)) return directory.add({ number, name: `Person ${number.slice(-5)}` });
  }
  throw new SimulatorError(409, 'there are no free numbers left');
}
