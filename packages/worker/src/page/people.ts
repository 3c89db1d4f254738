import type { PageWindow, Refused } from './window.ts';

declare const window: PageWindow;

/** Every contact model in one go, people or not; the library's way would ask the network about each business. */
export function listContacts(): Record<string, unknown>[] {
  const { Contact } = window.require('WAWebCollections');
  return Contact.getModelsArray().flatMap((contact) => {
    try {
      return [window.chatWebTools.contactModel(contact)];
    } catch {
      return []; // A row that cannot be read, as of a device, must not stand in the way of the others.
    }
  });
}

/**
 * What the page has of a person, by number and by hidden id: two rows, of which often one alone has the name. Opens no
 * chat. The number behind a hidden id is asked for.
 */
export async function findContact(personId: string): Promise<Record<string, unknown>[]> {
  const { Contact } = window.require('WAWebCollections');
  const tools = window.chatWebTools;
  const wid = window.require('WAWebWidFactory').createWid(personId);
  if (personId.endsWith('@lid')) await tools.learnNumbers([wid]);
  const ids = new Set([personId, tools.lidOf(wid), tools.phoneOr(wid)]);
  return [...ids].flatMap((id) => {
    const contact = id === undefined ? undefined : Contact.get(id);
    return contact ? [tools.contactModel(contact)] : [];
  });
}

/** Whether a number is registered, by asking the network; or the network's code where it puts the question off. */
export async function numberExists(personId: string): Promise<boolean | Refused> {
  const wid = window.require('WAWebWidFactory').createWid(personId);
  try {
    return Boolean((await window.require('WAWebQueryExistsJob').queryWidExists(wid))?.wid);
  } catch (error) {
    return window.chatWebTools.refusedBy(error);
  }
}
