import * as v from 'valibot';
import { personId, sessionId } from '../ids.ts';
import { LIMITS, listOf } from '../limits.ts';
import { optionalMediaFile } from '../media.ts';
import type { Operation } from '../operation.ts';
import { contact } from '../resources.ts';
import { ofContact, ofSession, READ_ERRORS } from './common.ts';

/** Operations on people: the session's worker answers them. None of them opens a chat. */
export const contactOperations = {
  listContacts: {
    summary: 'List the contacts of the account',
    method: 'GET',
    path: '/sessions/:id/contacts',
    scope: 'read',
    params: ofSession,
    answer: listOf(contact, LIMITS.listed),
    errors: READ_ERRORS,
    timeoutMs: 30_000,
  },
  getContact: {
    summary: 'Get a contact',
    method: 'GET',
    path: '/sessions/:id/contacts/:contactId',
    scope: 'read',
    params: ofContact,
    answer: contact,
    errors: [...READ_ERRORS, 'contact_not_found'],
    timeoutMs: 30_000,
  },
  numberExists: {
    summary: 'Check whether a number is registered on the network',
    method: 'GET',
    path: '/sessions/:id/contacts/:number/exists',
    scope: 'read',
    params: v.object({ id: sessionId, number: personId }),
    answer: v.object({ number: v.pipe(v.string(), v.regex(/^\d{1,20}$/)), exists: v.boolean() }),
    errors: READ_ERRORS,
    timeoutMs: 15_000,
  },
  getPicture: {
    summary: 'Get a profile picture as JPEG; 204 if there is none, or it is private',
    method: 'GET',
    path: '/sessions/:id/contacts/:contactId/picture',
    scope: 'read',
    params: ofContact,
    answer: optionalMediaFile,
    errors: READ_ERRORS,
    timeoutMs: 30_000,
  },
} as const satisfies Record<string, Operation>;
