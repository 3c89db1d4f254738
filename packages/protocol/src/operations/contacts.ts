import * as v from 'valibot';
import { exampleContact, exampleSession, exampleStranger } from '../examples.ts';
import { contactId, sessionId } from '../ids.ts';
import { networkId } from '../limits.ts';
import { optionalMediaFile } from '../media.ts';
import type { Operation } from '../operation.ts';
import { contact } from '../resources.ts';
import {
  CHANGE_ERRORS,
  changing,
  checkedNumber,
  listing,
  ofContact,
  ofSession,
  oneLine,
  READ_ERRORS,
  reading,
  readingContact,
  registeredId,
} from './common.ts';

const writtenName = v.pipe(oneLine(255), v.trim());
const changingBook = {
  ...changing,
  path: '/sessions/:id/contacts/:contactId',
  params: ofContact,
  errors: [...CHANGE_ERRORS, 'contact_not_found', 'not_permitted', 'rate_limited'],
} as const;

/** None of them opens a chat. */
export const contactOperations = {
  listContacts: {
    ...reading,
    summary: 'List the contacts of the account',
    path: '/sessions/:id/contacts',
    params: ofSession,
    ...listing(contact),
    tools: {
      find_contacts: { description: 'Find contacts by a part of their name or number.', defaults: { limit: 50 } },
    },
    examples: { all: exampleSession, page: { ...exampleSession, limit: 2, after: '12025550102@c.us' } },
  },
  getContact: {
    ...readingContact,
    summary: 'Get a contact',
    path: '/sessions/:id/contacts/:contactId',
    answer: contact,
    errors: [...READ_ERRORS, 'contact_not_found'],
    tools: { get_contact: {} },
    examples: { known: exampleContact },
  },
  saveContact: {
    ...changingBook,
    summary: 'Save a person as a contact under a name, or rename a contact; returns the contact',
    method: 'PUT',
    body: v.strictObject({
      firstName: writtenName,
      lastName: v.optional(writtenName),
      syncToPhone: v.optional(
        v.pipe(
          v.boolean(),
          v.description(
            'Whether the address book of the phone has the contact, too; false deletes it there. Default: as it is, false for a new contact',
          ),
        ),
      ),
    }),
    answer: contact,
    examples: { new: { ...exampleStranger, firstName: 'Grace', lastName: 'Lindqvist' } },
  },
  deleteContact: {
    ...changingBook,
    summary: 'Delete a contact from the contacts of the account; the chat stays',
    method: 'DELETE',
    answer: v.object({ contactId: networkId, deleted: v.literal(true) }),
    examples: { known: exampleStranger },
  },
  numberExists: {
    ...reading,
    summary: 'Check whether a number is registered on the network',
    path: '/sessions/:id/contacts/:number/exists',
    params: v.object({ id: sessionId, number: contactId }),
    answer: v.object({ number: checkedNumber, exists: v.boolean(), id: registeredId }),
    errors: [...READ_ERRORS, 'not_permitted'],
    timeoutMs: 15_000,
    tools: { check_number: {} },
    examples: { registered: { ...exampleSession, number: '+12025550102' } },
  },
  getPicture: {
    ...readingContact,
    summary: 'Get a profile picture as JPEG; 204 if there is none, or it is private',
    path: '/sessions/:id/contacts/:contactId/picture',
    answer: optionalMediaFile,
    errors: [...READ_ERRORS, 'media_unavailable'],
    examples: { known: exampleContact },
  },
} as const satisfies Record<string, Operation>;
