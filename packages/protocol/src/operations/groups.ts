import * as v from 'valibot';
import { contactId, groupId, personId } from '../ids.ts';
import { LIMITS, listOf, networkId, writtenText } from '../limits.ts';
import type { Operation } from '../operation.ts';
import { group, participantResult } from '../resources.ts';
import { CHANGE_ERRORS, CHAT_CHANGE_ERRORS, itemsOf, ofGroup, ofSession, READ_ERRORS } from './common.ts';

/** Each that is added costs a request to the network. */
const MOST_PARTICIPANTS = 100;

const subject = v.pipe(
  v.string(),
  v.check((written) => written.trim() !== '', 'must not be empty or blank'),
  v.maxLength(100, 'must be at most 100 characters'),
);
const someOf = <S extends v.GenericSchema<string, string>>(person: S) =>
  v.pipe(itemsOf(person, MOST_PARTICIPANTS), v.minLength(1, 'must name at least one participant'));
/** People who are not in the group yet. */
const participants = someOf(personId);
/** People of a group, also those whose number is hidden. */
export const members = someOf(contactId);
/** What became of each participant. */
export const participantsAnswer = v.object({
  groupId: networkId,
  participants: listOf(participantResult, MOST_PARTICIPANTS),
});

/** Operations on groups: the session's worker answers them. */
export const groupOperations = {
  listGroups: {
    summary: 'List the groups of the account',
    method: 'GET',
    path: '/sessions/:id/groups',
    scope: 'read',
    params: ofSession,
    answer: listOf(group, LIMITS.listed),
    errors: READ_ERRORS,
    timeoutMs: 30_000,
  },
  createGroup: {
    summary: 'Create a group; returns its id',
    method: 'POST',
    path: '/sessions/:id/groups',
    scope: 'send',
    params: ofSession,
    body: v.object({ subject, participants }),
    keyed: { choosesMessageId: () => false },
    answer: groupId,
    errors: [...CHANGE_ERRORS, 'recipient_not_found'],
    timeoutMs: 60_000,
  },
  addParticipants: {
    summary: 'Add people to a group; one result for each, in order',
    method: 'POST',
    path: '/sessions/:id/groups/:groupId/participants/add',
    scope: 'send',
    params: ofGroup,
    body: v.object({ participants }),
    answer: participantsAnswer,
    errors: CHAT_CHANGE_ERRORS,
    timeoutMs: 60_000,
  },
  removeParticipants: {
    summary: 'Remove people from a group; one result for each, in order',
    method: 'POST',
    path: '/sessions/:id/groups/:groupId/participants/remove',
    scope: 'send',
    params: ofGroup,
    body: v.object({ participants: members }),
    answer: participantsAnswer,
    errors: CHAT_CHANGE_ERRORS,
    timeoutMs: 60_000,
  },
  leaveGroup: {
    summary: 'Leave a group',
    method: 'POST',
    path: '/sessions/:id/groups/:groupId/leave',
    scope: 'send',
    params: ofGroup,
    answer: v.object({ groupId: networkId, left: v.literal(true) }),
    // The page does not report why the network refuses it.
    errors: [...CHANGE_ERRORS, 'chat_not_found'],
    timeoutMs: 30_000,
  },
  renameGroup: {
    summary: 'Change the subject of a group',
    method: 'PUT',
    path: '/sessions/:id/groups/:groupId/subject',
    scope: 'send',
    params: ofGroup,
    body: v.object({ subject }),
    answer: v.object({ groupId: networkId, subject: writtenText(LIMITS.name) }),
    errors: CHAT_CHANGE_ERRORS,
    timeoutMs: 30_000,
  },
} as const satisfies Record<string, Operation>;
