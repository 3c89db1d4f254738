import type { PageWindow } from './window.ts';

declare const window: PageWindow;

/** Every contact model in one go, people or not; the library's way would ask the network about each business. */
export function listContacts(): Record<string, unknown>[] {
  const { Contact } = window.require('WAWebCollections');
  return Contact.getModelsArray().map((contact) => window.chatWebTools.contactModel(contact));
}

/** One contact model, if the page knows the person by number or hidden id. Opens no chat. */
export function findContact(personId: string): Record<string, unknown> | undefined {
  const { Contact } = window.require('WAWebCollections');
  const wid = window.require('WAWebWidFactory').createWid(personId);
  const lid = window.require('WAWebApiContact').getCurrentLid(wid);
  const contact = Contact.get(personId) ?? (lid && Contact.get(String(lid)));
  return contact && window.chatWebTools.contactModel(contact);
}

/** Whether a number is registered, by asking the network. Opens no chat. */
export async function numberExists(personId: string): Promise<boolean> {
  const wid = window.require('WAWebWidFactory').createWid(personId);
  return Boolean((await window.require('WAWebQueryExistsJob').queryWidExists(wid))?.wid);
}
