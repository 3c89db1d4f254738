import { contactModel, eachReadable, lidOf, phoneOr, resolveNumbers } from './tools/identities.ts';
import { formsOf, networkId, registeredAs } from './tools/number-forms.ts';

/**
 * All contact models, including those that are not people, without fields that are false or empty: there may be a
 * hundred thousand. The library's function would query each business.
 */
export function listContacts(): Record<string, unknown>[] {
  const { Contact } = window.require('WAWebCollections');
  const models = eachReadable(Contact.getModelsArray(), contactModel); // Rows of devices, for example, are unreadable.
  return models.map((model) => Object.fromEntries(Object.entries(model).filter(([, value]) => value)));
}

/**
 * The page's rows of a person, by number and by hidden id: often only one of them has the name. Does not open a chat.
 * Queries the number of a hidden id.
 */
export async function getContact(personId: string): Promise<Record<string, unknown>[]> {
  const { Contact } = window.require('WAWebCollections');
  const wid = window.require('WAWebWidFactory').createWid(networkId(personId));
  if (personId.endsWith('@lid')) await resolveNumbers([wid], true);
  const ids = new Set([...formsOf(personId), lidOf(wid), phoneOr(wid)]);
  return [...ids].flatMap((id) => {
    const contact = id === undefined ? undefined : Contact.get(id);
    return contact ? [contactModel(contact)] : [];
  });
}

/** Queries whether a number is registered. Returns the id by which the network knows its owner. */
export async function numberExists(personId: string): Promise<string | undefined> {
  const wid = window.require('WAWebWidFactory').createWid(personId);
  const found = await window.require('WAWebQueryExistsJob').queryWidExists(wid);
  return registeredAs(personId, found?.wid);
}
