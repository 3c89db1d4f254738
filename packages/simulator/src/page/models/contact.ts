import { Collection } from '../collection.ts';
import { Model } from '../model.ts';
import { switches } from '../switches.ts';
import { createWid, type Wid } from '../wid.ts';
import type { WireUser } from '../wire.ts';

interface ContactAttributes {
  id: Wid;
  /** The name in the address book; absent for strangers. Of a group, its subject. */
  name: string | undefined;
  shortName: string | undefined;
  /** The name that the person chose. */
  pushname: string | undefined;
  username: string | undefined;
  /** `out` for a number that is not registered. */
  type: 'in' | 'out';
  isMe: boolean;
  isBusiness: boolean;
  isEnterprise: boolean;
  isContactBlocked: boolean;
  /** Saved by LID and user name. */
  isUsernameContact: boolean;
  /** The address book of the phone has it, too. */
  syncToAddressbook: boolean;
  /** The number behind a `@lid` contact. */
  phoneNumber: Wid | undefined;
  /** Of the account itself: the timer of its messages in new chats, in seconds. */
  disappearingModeDuration: number | undefined;
}

/** A person or a group; a person known by number and by LID has a contact for each. */
export class Contact extends Model<ContactAttributes> {
  static override readonly props = [
    'id',
    'name',
    'shortName',
    'pushname',
    'username',
    'type',
    'isMe',
    'isBusiness',
    'isEnterprise',
    'isContactBlocked',
    'isUsernameContact',
    'syncToAddressbook',
    'phoneNumber',
    'disappearingModeDuration',
  ];
}

/** Groups, people and the account itself. */
export const contacts = new Collection<Contact>(Contact as never);

interface BlockedAttributes {
  id: Wid;
}

class Blocked extends Model<BlockedAttributes> {
  static override readonly props = ['id'];
}

/** The people whom the account has blocked, by lid. */
export const blocklist = new Collection<Blocked>(Blocked);

/** Whether the account has blocked the person of a chat. */
export function isChatBlocked(chat: { get(name: 'id' | 'accountLid'): Wid | undefined }): boolean {
  return [chat.get('id'), chat.get('accountLid')].some((id) => id !== undefined && blocklist.get(id) !== undefined);
}

/** Adds the contacts of a person to the collection, or updates them. */
export function updateContact(user: WireUser, isMe: boolean): void {
  const { name, shortName, pushname, username, isBusiness, isBlocked, pn, lid } = user;
  const shared = {
    name,
    shortName,
    pushname,
    username,
    type: 'in' as const,
    isMe,
    isBusiness,
    isEnterprise: false,
    isUsernameContact: user.isByUsername ?? false,
    syncToAddressbook: user.isOnPhone ?? false,
  };
  if (pn !== undefined) put(pn, { ...shared, ...(isMe ? shared : namesByNumber(shared)), isContactBlocked: false });
  // Only the contact by LID has `isContactBlocked`; for the one by number, see the block list.
  put(lid, { ...shared, isContactBlocked: isBlocked, phoneNumber: pn === undefined ? undefined : createWid(pn) });
  const entry = blocklist.get(lid);
  if (isBlocked && !entry) blocklist.add(new Blocked({ id: createWid(lid) }));
  if (!isBlocked && entry) blocklist.remove(entry);
}

/** The names on a person's contact by number: in newer builds only the contact by LID has them. */
function namesByNumber({ name, shortName, pushname }: Partial<ContactAttributes>): Partial<ContactAttributes> {
  if (switches.contactNames === 'both') return { name, shortName, pushname };
  return { name: undefined, shortName: undefined, pushname: undefined };
}

/** The contact that each group has. */
export function updateGroupContact(id: string, subject: string): void {
  put(id, { name: subject, type: 'in', isMe: false, isBusiness: false, isEnterprise: false, isContactBlocked: false });
}

/** A contact of a single device, as some pages have it: many look-ups throw for it. */
export function addDeviceContact(id: string): void {
  put(id, { type: 'in', isMe: false, isBusiness: false, isEnterprise: false, isContactBlocked: false });
}

function put(id: string, values: Partial<ContactAttributes>): void {
  const present = contacts.get(id);
  if (present) present.set(values);
  else contacts.add(new Contact({ ...values, id: createWid(id) }));
}
