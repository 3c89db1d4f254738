import type { PageWindow, Refused } from './window.ts';

declare const window: PageWindow;

/** All contact models, including those that are not people. The library's function would query each business. */
export function listContacts(): Record<string, unknown>[] {
  const { Contact } = window.require('WAWebCollections');
  return Contact.getModelsArray().flatMap((contact) => {
    try {
      return [window.chatWebTools.contactModel(contact)];
    } catch {
      return []; // An unreadable row, such as that of a device, must not fail the others.
    }
  });
}

/**
 * The page's rows of a person, by number and by hidden id: often only one of them has the name. Does not open a chat.
 * Queries the number of a hidden id.
 */
export async function findContact(personId: string): Promise<Record<string, unknown>[]> {
  const { Contact } = window.require('WAWebCollections');
  const tools = window.chatWebTools;
  const wid = window.require('WAWebWidFactory').createWid(personId);
  if (personId.endsWith('@lid')) await tools.resolveNumbers([wid], true);
  const ids = new Set([personId, tools.lidOf(wid), tools.phoneOr(wid)]);
  return [...ids].flatMap((id) => {
    const contact = id === undefined ? undefined : Contact.get(id);
    return contact ? [tools.contactModel(contact)] : [];
  });
}

/** Queries whether a number is registered; the network's code if it refuses the query. */
export async function numberExists(personId: string): Promise<boolean | Refused> {
  const wid = window.require('WAWebWidFactory').createWid(personId);
  try {
    return Boolean((await window.require('WAWebQueryExistsJob').queryWidExists(wid))?.wid);
  } catch (error) {
    return window.chatWebTools.refusedBy(error);
  }
}
