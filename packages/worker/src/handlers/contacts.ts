import { type contactOperations, GatewayError } from '@chat-web/protocol';
import { toContacts } from '../client/lists.ts';
import type { HandlerDependencies, WorkerHandlers } from '../client/port.ts';
import { takeFromPage } from '../media/incoming-media.ts';
import { ListPages } from './list-pages.ts';

export function contactHandlers(dependencies: HandlerDependencies): WorkerHandlers<keyof typeof contactOperations> {
  const { page } = dependencies;
  const contacts = new ListPages(async (time) => {
    const read = toContacts(await page.read(time.rest(), 'listContacts'));
    return read.filter(({ id }) => !id.endsWith('@bot'));
  });
  const found = (rows: readonly unknown[]) => {
    const [contact] = toContacts(rows);
    if (contact) return contact;
    throw new GatewayError('contact_not_found', 'the account has no such contact');
  };
  return {
    listContacts: (input, { time }) => contacts.get(input, time),

    getContact: async ({ contactId }, { time }) => found(await page.read(time.rest(), 'getContact', contactId)),

    saveContact: async ({ contactId, firstName, lastName, syncToPhone }, { time }) => {
      const naming = { firstName, lastName, syncToPhone };
      return found(await page.change(time.rest(), 'saveContact', contactId, naming, time.step('settle')));
    },

    deleteContact: async ({ contactId }, { time }) => {
      const { id } = await page.change(time.rest(), 'deleteContact', contactId, time.step('settle'));
      return { contactId: id, deleted: true };
    },

    numberExists: ({ number }, { time }) => page.read(time.rest(), 'numberExists', number),

    getPicture: ({ contactId }, { time }) => {
      const limits = [time.rest(), 'loadPicture', contactId, time.step('query')] as const;
      return takeFromPage(dependencies, 'image/jpeg', ...limits);
    },
  };
}
