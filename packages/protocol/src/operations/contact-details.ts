import * as v from 'valibot';
import { exampleContact, exampleSession, exampleStranger } from '../examples.ts';
import { contactId, sessionId } from '../ids.ts';
import { LIMITS, listOf, networkId, writtenText } from '../limits.ts';
import type { Operation } from '../operation.ts';
import { businessProfile, contact, group, username } from '../resources.ts';
import {
  CHANGE_ERRORS,
  changing,
  checkedNumber,
  itemsOf,
  longList,
  ofContact,
  ofSession,
  READ_ERRORS,
  reading,
  readingContact,
  registeredId,
} from './common.ts';

/** All are looked up by one request to the network. */
const MAX_NUMBERS = 50;

const numbers = v.pipe(itemsOf(contactId, MAX_NUMBERS), v.minLength(1, 'must have at least one number'));
const exists = v.pipe(
  v.nullable(v.boolean()),
  v.description('Null: the network returned no result for this number; check it again later'),
);
const digits = v.pipe(v.string(), v.regex(/^\d{1,20}$/));
const looked = v.object({ number: checkedNumber, exists, id: registeredId });

const ids = v.pipe(itemsOf(contactId, MAX_NUMBERS), v.minLength(1, 'must have at least one id'));
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

/** A user name as people write it. */
const writtenUsername = v.pipe(
  v.string(),
  v.regex(/^@?[\w.]{3,35}$/, 'must be a user name: 3 to 35 letters, digits, dots and underscores'),
  v.transform((written) => written.replace('@', '').toLowerCase()),
);

/** The network refuses what it is asked. */
const refusals = ['not_permitted', 'rate_limited'] as const;
const blockErrors = [...CHANGE_ERRORS, 'contact_not_found', ...refusals] as const;

/** None of them opens a chat. */
export const contactDetailOperations = {
  numbersExist: {
    ...changing,
    summary: 'Check which of up to 50 numbers are registered, in one request to the network',
    path: '/sessions/:id/contacts/exists',
    params: ofSession,
    body: v.strictObject({ numbers }),
    answer: v.object({ numbers: listOf(looked, MAX_NUMBERS) }),
    errors: [...CHANGE_ERRORS, ...refusals],
    examples: { several: { ...exampleSession, numbers: ['+12025550102', '+12025550104'] } },
  },
  resolveContacts: {
    ...changing,
    summary: 'Get the numbers of up to 50 hidden ids, and the hidden ids of numbers, of any people',
    path: '/sessions/:id/contacts/resolve',
    params: ofSession,
    body: v.strictObject({ ids }),
    answer: v.object({ contacts: listOf(bothIds, MAX_NUMBERS) }),
    errors: [...CHANGE_ERRORS, ...refusals],
    examples: { both: { ...exampleSession, ids: ['+12025550102', '81604523377103@lid'] } },
  },
  findUsername: {
    ...reading,
    summary: 'Find the person with a user name; returns the id to send to, or that the PIN of that person is needed',
    path: '/sessions/:id/usernames/:name',
    params: v.object({ id: sessionId, name: writtenUsername }),
    query: v.strictObject({ pin: v.optional(v.pipe(v.string(), v.regex(/^\d{4}$/, 'must be 4 digits'))) }),
    answer: v.object({ username, id: v.optional(networkId), needsPin: v.optional(v.literal(true)) }),
    errors: [...READ_ERRORS, 'contact_not_found', ...refusals],
    timeoutMs: 15_000,
    examples: { known: { ...exampleSession, name: 'farid.h' } },
  },
  blockContact: {
    ...changing,
    summary: 'Block a contact',
    path: '/sessions/:id/contacts/:contactId/block',
    params: ofContact,
    answer: v.object({ contactId: networkId, blocked: v.literal(true) }),
    errors: blockErrors,
    examples: { known: exampleStranger },
  },
  unblockContact: {
    ...changing,
    summary: 'Unblock a contact',
    path: '/sessions/:id/contacts/:contactId/unblock',
    params: ofContact,
    answer: v.object({ contactId: networkId, blocked: v.literal(false) }),
    errors: blockErrors,
    examples: { known: exampleStranger },
  },
  listBlocked: {
    ...reading,
    summary: 'List the people that the account has blocked',
    path: '/sessions/:id/blocked',
    params: ofSession,
    ...longList(contact),
    examples: { all: exampleSession },
  },
  getAbout: {
    ...readingContact,
    summary: "Get a person's about text; null if it is hidden, empty if there is none",
    path: '/sessions/:id/contacts/:contactId/about',
    answer: v.object({ contactId: networkId, about }),
    errors: [...READ_ERRORS, ...refusals],
    examples: { known: exampleContact },
  },
  listCommonGroups: {
    ...readingContact,
    summary: 'List the groups that the account shares with a person',
    path: '/sessions/:id/contacts/:contactId/groups',
    ...longList(group),
    examples: { known: exampleContact },
  },
  getBusinessProfile: {
    ...readingContact,
    summary: 'Get the profile of a business account',
    path: '/sessions/:id/contacts/:contactId/business-profile',
    answer: businessProfile,
    errors: [...READ_ERRORS, ...refusals],
    examples: { known: exampleContact },
  },
} as const satisfies Record<string, Operation>;
