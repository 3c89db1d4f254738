import * as v from 'valibot';
import { exampleGroup, exampleIds, exampleSession } from '../examples.ts';
import { contactId, groupId } from '../ids.ts';
import { LIMITS, listOf, networkId, writtenText } from '../limits.ts';
import type { Operation } from '../operation.ts';
import { flag } from '../query.ts';
import { group, participantResult } from '../resources.ts';
import {
  CHANGE_ERRORS,
  CHAT_CHANGE_ERRORS,
  changing,
  itemsOf,
  listing,
  ofGroup,
  ofSession,
  reading,
} from './common.ts';

/** Each that is added costs a request to the network. */
const MAX_PARTICIPANTS = 100;

const subject = v.pipe(
  v.string(),
  v.check((written) => written.trim() !== '', 'must not be empty or blank'),
  v.maxLength(100, 'must be at most 100 characters'),
);
const participants = v.pipe(itemsOf(contactId, MAX_PARTICIPANTS), v.minLength(1, 'must name at least one participant'));

export const changingGroup = {
  scope: 'send',
  params: ofGroup,
  errors: CHAT_CHANGE_ERRORS,
  timeoutMs: 30_000,
} as const;
/** A change that concerns people of a group, also those whose number is hidden, and has a result for each. */
export const membersChange = {
  ...changingGroup,
  method: 'POST',
  body: v.strictObject({ participants }),
  answer: v.object({ groupId: networkId, participants: listOf(participantResult, MAX_PARTICIPANTS) }),
  timeoutMs: 60_000,
} as const;

export const groupOperations = {
  listGroups: {
    ...reading,
    summary: 'List the groups of the account',
    path: '/sessions/:id/groups',
    params: ofSession,
    ...listing(group),
    tools: {
      find_groups: { description: 'Find groups by a part of their subject, or list them.', defaults: { limit: 50 } },
    },
    examples: { all: exampleSession },
  },
  createGroup: {
    ...changing,
    summary: 'Create a group; returns its id, with `results=true` also one result for each person, in order',
    path: '/sessions/:id/groups',
    params: ofSession,
    query: v.strictObject({ results: v.optional(flag) }),
    body: v.strictObject({ subject, participants }),
    keyed: { choosesMessageId: () => false },
    answer: v.union([groupId, v.object({ id: groupId, participants: listOf(participantResult, MAX_PARTICIPANTS) })]),
    errors: [...CHANGE_ERRORS, 'recipient_not_found', 'not_permitted'],
    timeoutMs: 60_000,
    examples: {
      friends: { ...exampleSession, subject: 'Friends', participants: [exampleIds.person, '12025550104@c.us'] },
      results: { ...exampleSession, results: true, subject: 'Friends', participants: [exampleIds.person] },
    },
  },
  addParticipants: {
    ...membersChange,
    summary: 'Add people to a group; one result for each, in order',
    path: '/sessions/:id/groups/:groupId/participants/add',
    examples: { one: { ...exampleGroup, participants: ['12025550104@c.us'] } },
  },
  removeParticipants: {
    ...membersChange,
    summary: 'Remove people from a group; one result for each, in order',
    path: '/sessions/:id/groups/:groupId/participants/remove',
    examples: { one: { ...exampleGroup, participants: ['12025550104@c.us'] } },
  },
  leaveGroup: {
    ...changing,
    summary: 'Leave a group',
    path: '/sessions/:id/groups/:groupId/leave',
    params: ofGroup,
    answer: v.object({ groupId: networkId, left: v.literal(true) }),
    // The page does not report why the network refuses it.
    errors: [...CHANGE_ERRORS, 'chat_not_found'],
    examples: { one: { ...exampleSession, groupId: exampleIds.groupToLeave } },
  },
  renameGroup: {
    ...changingGroup,
    summary: 'Change the subject of a group',
    method: 'PUT',
    path: '/sessions/:id/groups/:groupId/subject',
    body: v.strictObject({ subject }),
    answer: v.object({ groupId: networkId, subject: writtenText(LIMITS.name) }),
    examples: { new: { ...exampleGroup, subject: 'Better friends' } },
  },
} as const satisfies Record<string, Operation>;
