import * as v from 'valibot';
import { contactId, personId } from '../ids.ts';
import { LIMITS, listOf, networkId, writtenText } from '../limits.ts';
import type { Operation } from '../operation.ts';
import { businessProfile, contact, group } from '../resources.ts';
import { CHANGE_ERRORS, itemsOf, ofContact, ofSession, READ_ERRORS } from './common.ts';

/** All are looked up by one request to the network. */
const MOST_NUMBERS = 50;

const numbers = v.pipe(itemsOf(personId, MOST_NUMBERS), v.minLength(1, 'must have at least one number'));
const exists = v.pipe(
  v.nullable(v.boolean()),
  v.description('Null: the network gave no result for this number; check it again later'),
);
const digits = v.pipe(v.string(), v.regex(/^\d{1,20}$/));
const looked = v.object({ number: digits, exists });

const ids = v.pipe(itemsOf(contactId, MOST_NUMBERS), v.minLength(1, 'must have at least one id'));
/** Both ids of a person. Null: there is none, or it is hidden from the account. Absent: the network gave no result. */
const bothIds = v.object({
  id: networkId,
  number: v.optional(v.nullable(digits)),
  lid: v.optional(v.nullable(networkId)),
});

const about = v.pipe(
  v.nullable(writtenText(LIMITS.name)),
  v.description('Null: hidden from the account. Empty: the person has none'),
);

/** The network refuses what it is asked. */
const refusals = ['not_permitted', 'rate_limited'] as const;
const blockErrors = [...CHANGE_ERRORS, 'contact_not_found', ...refusals] as const;

/** Operations on what is known of people: the session's worker answers them. None of them opens a chat. */
export const contactDetailOperations = {
  numbersExist: {
    summary: 'Check which of up to 50 numbers are registered, in one request to the network',
    method: 'POST',
    path: '/sessions/:id/contacts/exists',
    scope: 'send',
    params: ofSession,
    body: v.object({ numbers }),
    answer: v.object({ numbers: listOf(looked, MOST_NUMBERS) }),
    errors: [...CHANGE_ERRORS, ...refusals],
    timeoutMs: 30_000,
  },
  resolveContacts: {
    summary: 'Get the numbers of up to 50 hidden ids, and the hidden ids of numbers, of any people',
    method: 'POST',
    path: '/sessions/:id/contacts/resolve',
    scope: 'send',
    params: ofSession,
    body: v.object({ ids }),
    answer: v.object({ contacts: listOf(bothIds, MOST_NUMBERS) }),
    errors: [...CHANGE_ERRORS, ...refusals],
    timeoutMs: 30_000,
  },
  blockContact: {
    summary: 'Block a contact',
    method: 'POST',
    path: '/sessions/:id/contacts/:contactId/block',
    scope: 'send',
    params: ofContact,
    answer: v.object({ contactId: networkId, blocked: v.literal(true) }),
    errors: blockErrors,
    timeoutMs: 30_000,
  },
  unblockContact: {
    summary: 'Unblock a contact',
    method: 'POST',
    path: '/sessions/:id/contacts/:contactId/unblock',
    scope: 'send',
    params: ofContact,
    answer: v.object({ contactId: networkId, blocked: v.literal(false) }),
    errors: blockErrors,
    timeoutMs: 30_000,
  },
  listBlocked: {
    summary: 'List the people that the account has blocked',
    method: 'GET',
    path: '/sessions/:id/blocked',
    scope: 'read',
    params: ofSession,
    answer: listOf(contact, LIMITS.listed),
    errors: READ_ERRORS,
    timeoutMs: 30_000,
  },
  getAbout: {
    summary: "Get a person's about text; null if it is hidden, empty if there is none",
    method: 'GET',
    path: '/sessions/:id/contacts/:contactId/about',
    scope: 'read',
    params: ofContact,
    answer: v.object({ contactId: networkId, about }),
    errors: [...READ_ERRORS, ...refusals],
    timeoutMs: 30_000,
  },
  listCommonGroups: {
    summary: 'List the groups that the account shares with a person',
    method: 'GET',
    path: '/sessions/:id/contacts/:contactId/groups',
    scope: 'read',
    params: ofContact,
    answer: listOf(group, LIMITS.listed),
    errors: READ_ERRORS,
    timeoutMs: 30_000,
  },
  getBusinessProfile: {
    summary: 'Get the profile of a business account',
    method: 'GET',
    path: '/sessions/:id/contacts/:contactId/business-profile',
    scope: 'read',
    params: ofContact,
    answer: businessProfile,
    errors: [...READ_ERRORS, ...refusals],
    timeoutMs: 30_000,
  },
} as const satisfies Record<string, Operation>;
