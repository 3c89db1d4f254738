import { type contactOperations, GatewayError } from '@chat-web/protocol';
import { toContacts } from '../client/lists.ts';
import type { HandlerContext, WorkerHandlers } from '../client/port.ts';
import { takeFromPage } from '../media/incoming-media.ts';
import { NO_CONTACT, refusedBy, unlessRefused } from './refusals.ts';

export function contactHandlers({ page, ...context }: HandlerContext): WorkerHandlers<keyof typeof contactOperations> {
  return {
    listContacts: async (_, { time }) => toContacts(await page.read(time.rest(), 'listContacts')),

    getContact: async ({ contactId }, { time }) => {
      const [contact] = toContacts(await page.read(time.rest(), 'findContact', contactId));
      if (contact) return contact;
      throw new GatewayError(...NO_CONTACT);
    },

    numberExists: async ({ number }, { time }) => {
      const found = await page.read(time.rest(), 'numberExists', number);
      const exists = unlessRefused(found, {}, (code) => refusedBy(code, 'client_failed'));
      return { number: number.slice(0, number.indexOf('@')), exists };
    },

    getPicture: async ({ contactId }, { time }) => {
      const taken = await takeFromPage(
        { page, ...context },
        'image/jpeg',
        time.rest(),
        'loadPicture',
        contactId,
        time.step('query'),
      );
      if (taken === 'later') throw refusedBy(429);
      return taken;
    },
  };
}
