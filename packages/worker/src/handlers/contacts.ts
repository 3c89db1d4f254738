import type { Handlers } from '@chat-web/protocol';
import { toContacts } from '../client/lists.ts';
import type { HandlerContext } from '../client/port.ts';
import { takeFromPage } from '../media/incoming-media.ts';
import { loadPicture } from '../page/media.ts';
import { findContact, listContacts, numberExists } from '../page/people.ts';
import { contactNotFound } from './not-found.ts';
import { refusedBy } from './sending.ts';

const LIST_TIMEOUT_MS = 25_000;
/** The longest that a caller waits for the network, which may be slow. */
const LOOKUP_TIMEOUT_MS = 12_000;
const PICTURE_TIMEOUT_MS = 26_000;
/** For each query: by number, then by hidden id. */
const PICTURE_EACH_MS = 8_000;

/** Handlers of the operations on people. */
export function contactHandlers({
  page,
  ...context
}: HandlerContext): Handlers<'listContacts' | 'getContact' | 'numberExists' | 'getPicture'> {
  return {
    listContacts: async () => toContacts(await page.read(LIST_TIMEOUT_MS, listContacts)),

    getContact: async ({ contactId }) => {
      const [contact] = toContacts(await page.read(LOOKUP_TIMEOUT_MS, findContact, contactId));
      if (contact) return contact;
      throw contactNotFound();
    },

    numberExists: async ({ number }) => {
      const exists = await page.read(LOOKUP_TIMEOUT_MS, numberExists, number);
      if (typeof exists === 'object') throw refusedBy(exists.refused, 'client_failed');
      return { number: number.slice(0, number.indexOf('@')), exists };
    },

    getPicture: async ({ contactId }) => {
      const taken = await takeFromPage(
        { page, ...context },
        'image/jpeg',
        PICTURE_TIMEOUT_MS,
        loadPicture,
        contactId,
        PICTURE_EACH_MS,
      );
      if (taken === 'later') throw refusedBy(429);
      return taken;
    },
  };
}
