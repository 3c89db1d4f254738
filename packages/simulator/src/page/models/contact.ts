import { Collection } from '../collection.ts';
import { Model } from '../model.ts';
import { createWid, type Wid } from '../wid.ts';
import type { WireUser } from '../wire.ts';

interface ContactAttributes {
  id: Wid;
  /** The name in the address book; absent for strangers. */
  name: string | undefined;
  shortName: string | undefined;
  /** The name that the person chose. */
  pushname: string;
  type: 'in';
  isMe: boolean;
  isBusiness: boolean;
  isEnterprise: boolean;
  isContactBlocked: boolean;
  /** The number behind a `@lid` contact. */
  phoneNumber: Wid;
}

/** A person; whoever is known by number and by lid has a contact for each. */
export class Contact extends Model<ContactAttributes> {
  static override readonly props = [
    ...['id', 'name', 'shortName', 'pushname', 'type', 'isMe', 'isBusiness', 'isEnterprise', 'isContactBlocked'],
    'phoneNumber',
  ];
}

/** The account's contacts, itself among them. */
export const contacts = new Collection<Contact>(Contact);

/** Puts both contacts of a person into the collection, or brings them up to date. */
export function learnContact(user: WireUser, isMe: boolean): void {
  const shared = {
    ...{ name: user.name, shortName: user.name?.split(' ')[0], pushname: user.pushname, type: 'in' as const, isMe },
    ...{ isBusiness: false, isEnterprise: false, isContactBlocked: false },
  };
  for (const id of [user.pn, user.lid]) {
    const wid = createWid(id);
    const values = wid.isLid() ? { ...shared, id: wid, phoneNumber: createWid(user.pn) } : { ...shared, id: wid };
    const present = contacts.get(id);
    if (present) present.set({ ...shared });
    else contacts.add(new Contact(values));
  }
}
