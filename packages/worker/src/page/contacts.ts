import type { PageContact, PageId } from './models.ts';
import { contactModel, eachReadable, lidOf, phoneOr, resolveNumbers } from './tools/identities.ts';
import { formsOf, networkId, registeredAs } from './tools/number-forms.ts';
import type { NumberExists } from './tools/numbers.ts';
import { digitsOf } from './tools/numbers.ts';

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
