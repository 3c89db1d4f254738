import { holds } from './delay.ts';
import type { PageContact, PageId } from './models.ts';
import { ignored, Refusal } from './refusal.ts';
import {
  contactModel,
  eachReadable,
  isMe,
  isMyContact,
  lidOf,
  optional,
  phoneOr,
  resolveNumbers,
  usernameOf,
} from './tools/identities.ts';
import { formsOf, networkId, registeredAs, registeredId } from './tools/number-forms.ts';
import { digitsOf, type NumberExists } from './tools/numbers.ts';

/**
 * All contact models, including those that are not people, without fields that are false or empty: there may be a
 * hundred thousand. The library's function would query each business.
 */
export function listContacts(): Record<string, unknown>[] {
  const { Contact } = window.require('WAWebCollections');
  const models = eachReadable(Contact.getModelsArray(), contactModel); // Rows of devices, for example, are unreadable.
  return models.map((model) => Object.fromEntries(Object.entries(model).filter(([, value]) => value)));
}

function widOf(id: string): PageId {
  return window.require('WAWebWidFactory').createWid(id) as PageId;
}

/** The page's rows of a person, by all ids that it knows. */
function rowsOf(personId: string): PageContact[] {
  const { Contact } = window.require('WAWebCollections');
  const wid = widOf(networkId(personId));
  const ids = new Set([...formsOf(personId), lidOf(wid), phoneOr(wid)]);
  return [...ids].flatMap((id) => (id === undefined ? [] : (Contact.get(id) ?? [])));
}

/**
 * The page's rows of a person, by number and by hidden id: often only one of them has the name. Does not open a chat.
 * Queries the number of a hidden id.
 */
export async function getContact(personId: string): Promise<Record<string, unknown>[]> {
  if (personId.endsWith('@lid')) await resolveNumbers([widOf(personId)], true);
  return rowsOf(personId).map(contactModel);
}

interface Naming {
  readonly firstName: string;
  readonly lastName?: string | undefined;
  /** Undefined: as it is. */
  readonly syncToPhone?: boolean | undefined;
}

/**
 * Saves a person as a contact, or renames a contact. Returns the page's rows of the person. Queries a number that is
 * not saved yet, since the page would save one that is not registered, too.
 */
export async function saveContact(
  personId: string,
  { firstName, lastName = '', syncToPhone }: Naming,
  settleMs: number,
): Promise<Record<string, unknown>[]> {
  const { saved, isByUsername, lid, username, ...person } = await changeable(personId, syncToPhone === true);
  let { number } = person;
  if (number !== undefined && saved.length === 0 && !personId.endsWith('@lid')) {
    const registered = await registeredId(personId);
    if (registered === undefined) throw new Refusal('contact_not_found', 'the number is not registered on the network');
    // Some people are known by their hidden id only.
    if (registered.endsWith('@c.us')) number = registered;
  }
  const { saveContactAction } = window.require('WAWebSaveContactAction');
  const named = { firstName, lastName };
  if (number !== undefined) {
    const isOnPhone = saved.some(({ syncToAddressbook }) => syncToAddressbook ?? true);
    // What is saved by user name is deleted there.
    const converted = isByUsername && lid ? { lid: widOf(lid), username, isConvertingContactType: true } : {};
    const syncToAddressbook = syncToPhone ?? (isOnPhone && !isByUsername);
    await saveContactAction({ ...named, phoneNumber: digitsOf(number), syncToAddressbook, ...converted });
  } else {
    if (lid === undefined || username === undefined) throw hidden();
    if (syncToPhone) throw new Refusal('not_permitted', 'only a person with a known number can be saved on the phone');
    await saveContactAction({ ...named, lid: widOf(lid), username });
  }
  // As the page itself joins them.
  const name = [firstName, lastName].filter(Boolean).join(' ');
  const id = number ?? personId;
  if (await holds(() => rowsOf(id).some((row) => row.name === name), settleMs)) return rowsOf(id).map(contactModel);
  throw ignored();
}

/** Deletes a contact. Returns the person's id. */
export async function deleteContact(personId: string, settleMs: number): Promise<{ readonly id: string }> {
  const { saved, isByUsername, number, lid, username } = await changeable(personId, false);
  if (saved.length === 0) throw new Refusal('contact_not_found', 'the account has no such contact');
  const id = number ?? personId;
  const { deleteContactAction } = window.require('WAWebDeleteContactAction');
  if (isByUsername) {
    // Without the user name, newer builds would delete it in this page only.
    if (lid === undefined || username === undefined) throw hidden();
    await deleteContactAction({ lid: widOf(lid), username });
  } else {
    if (number === undefined) throw hidden();
    const wid = widOf(number);
    const isNamed = saved.some((row) => String(row.id) === number);
    await deleteContactAction({ phoneNumber: wid });
    // The page reads its row by number, and deletes nothing if only the row by hidden id has the name.
    if (!isNamed) await optional('WAWebContactEditSync')?.sendContactDelete?.(wid);
  }
  if (await holds(() => !rowsOf(id).some(isMyContact), settleMs)) return { id };
  throw ignored();
}

/** A person whom the account may save: the ids, the name by which others find the person, and the saved rows. */
async function changeable(personId: string, isForPhone: boolean) {
  requireAddressBook(isForPhone);
  const wid = widOf(personId);
  if (isMe(wid) || !/@(c\.us|lid)$/.test(personId))
    throw new Refusal('not_permitted', 'only other people can be contacts');
  if (personId.endsWith('@lid')) await resolveNumbers([wid], true);
  const saved = rowsOf(personId).filter(isMyContact);
  const ids = [...saved.map((row) => phoneOr(row.id)), phoneOr(wid)];
  const number = ids.find((id) => id?.endsWith('@c.us'));
  return {
    saved,
    isByUsername: saved.some(({ isUsernameContact }) => isUsernameContact === true),
    number,
    lid: lidOf(number === undefined ? wid : widOf(number)) ?? lidOf(wid),
    username: usernameOf(wid),
  };
}

/** Refuses what the page's own form does not offer: the account's phone reports what it allows. */
function requireAddressBook(isForPhone: boolean): void {
  const phone = optional('WAWebPrimaryFeaturesModel')?.PrimaryFeatures;
  if (!phone?.features) return; // Not reported.
  if (phone.isContactsBackupOn === false || phone.primaryHasAgreedToNativeContactsNux === false)
    throw new Refusal(
      'not_permitted',
      "the account's phone does not store contacts in WhatsApp: turn that on in its settings, or add a contact there once",
    );
  if (isForPhone && phone.primaryHasAddressbookPermission === false)
    throw new Refusal('not_permitted', 'WhatsApp has no access to the address book of the phone: allow it there');
}

function hidden(): Refusal {
  return new Refusal('contact_not_found', 'the number and the user name of this person are unknown: give the number');
}

/** Queries whether a number is registered. A hidden id stands for the number, if the page knows it. */
export async function numberExists(personId: string): Promise<NumberExists & { readonly exists: boolean }> {
  const asked = phoneOr(widOf(personId)) ?? personId;
  const found = await window.require('WAWebQueryExistsJob').queryWidExists(widOf(asked));
  const id = registeredAs(asked, found?.wid ? [String(found.wid)] : []);
  return { number: digitsOf(asked) || digitsOf(id), exists: id !== undefined, id };
}

/** The numbers of people, in order; undefined where the number stays unknown. Queries those of hidden ids. */
export async function numbersOf(people: string[]): Promise<(string | undefined)[]> {
  const wids = people.map(widOf);
  await resolveNumbers(wids, true);
  return wids.map((wid) => digitsOf(phoneOr(wid)) || undefined);
}
