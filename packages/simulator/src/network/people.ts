import type { ContactsChange, ProfileChange, RequestRefusal } from '../control/inputs.ts';
import type { WireSaved, WireUser } from '../page/wire.ts';
import { definedOnly } from '../settings.ts';
import { describeAccount, notifyDevices, platformOf, savedOnPhone } from './account.ts';
import type { Network } from './network.ts';
import type { AccountRecord, Device } from './records.ts';

/** Changes an account's profile, and notifies all who can see it. */
export function changeProfile(network: Network, account: AccountRecord, change: ProfileChange) {
  const { business, pictureCode, ...rest } = change;
  Object.assign(account, definedOnly(rest), business === undefined ? {} : { isBusiness: business });
  if (pictureCode !== undefined) account.pictureCode = pictureCode ?? undefined;
  if (business !== undefined) notifyDevices(account, { type: 'platform', platform: platformOf(account) });
  const { contactChanges } = change;
  if (contactChanges !== undefined) notifyDevices(account, { type: 'contact-changes', contactChanges });
  for (const viewer of network.directory.all()) {
    if (viewer.disclosed.has(account) && viewer !== account) sendPeople(network, viewer, [account]);
  }
  return describeAccount(account);
}

/** Refuses requests of an account's pages by their names; a code of null ends that. */
export function refuseRequests(account: AccountRecord, { requests, code }: RequestRefusal): void {
  for (const name of requests) {
    if (code === null) account.refusedRequests.delete(name);
    else account.refusedRequests.set(name, code);
  }
}

/** Changes an account's address book, and notifies its linked devices. */
export function changeContacts(network: Network, account: AccountRecord, change: ContactsChange): void {
  const { save = [], forget = [], block = [], unblock = [] } = change;
  const find = (field: string) => (id: string) => network.directory.get(id, field);
  const saved = save.map(({ number, name }) => ({ person: find('save')(number), name }));
  const [forgotten, blocked, unblocked] = [
    forget.map(find('forget')),
    block.map(find('block')),
    unblock.map(find('unblock')),
  ];
  for (const { person, name } of saved) account.book.set(person, savedOnPhone(name));
  for (const person of forgotten) account.book.delete(person);
  for (const person of blocked) account.blocked.add(person);
  for (const person of unblocked) account.blocked.delete(person);
  sendPeople(network, account, [...saved.map(({ person }) => person), ...forgotten, ...blocked, ...unblocked]);
}

/**
 * Saves a person as a device of the account requests, or deletes the contact; its other devices get that. Null: nobody
 * has the number.
 */
export function setContact(
  network: Network,
  { account, device }: { readonly account: AccountRecord; readonly device: Device },
  { id, saved }: { readonly id: string; readonly saved: WireSaved | null },
): WireUser | null {
  const person = network.directory.find(id);
  if (!person) return null;
  if (saved) account.book.set(person, saved);
  else account.book.delete(person);
  const user = network.directory.describeMember(person, account);
  notifyDevices(account, { type: 'news', users: [user], chats: [] }, device);
  return user;
}

/** Sends a viewer's devices the current state of people. */
function sendPeople({ directory }: Network, viewer: AccountRecord, people: readonly AccountRecord[]): void {
  const users = people.map((person) => directory.describe(person, viewer));
  notifyDevices(viewer, { type: 'news', users, chats: [] });
}
