import * as v from 'valibot';
import { groupDetails, groupSettings, groupSettingsChange, MOST_DESCRIPTION } from '../group-resources.ts';
import { networkId, writtenText } from '../limits.ts';
import type { Operation } from '../operation.ts';
import { CHAT_CHANGE_ERRORS, ofGroup, READ_ERRORS } from './common.ts';
import { members, participantsAnswer } from './groups.ts';

const description = v.pipe(v.string(), v.maxLength(MOST_DESCRIPTION, `must be at most ${MOST_DESCRIPTION} characters`));

/** Operations on what a group is and who does what in it: the session's worker answers them. */
export const groupDetailsOperations = {
  getGroup: {
    summary: 'Get a group with its settings and its participants',
    method: 'GET',
    path: '/sessions/:id/groups/:groupId',
    scope: 'read',
    params: ofGroup,
    answer: groupDetails,
    errors: [...READ_ERRORS, 'chat_not_found'],
    timeoutMs: 30_000,
  },
  promoteParticipants: {
    summary: 'Make participants of a group admins; one result for each, in order',
    method: 'POST',
    path: '/sessions/:id/groups/:groupId/participants/promote',
    scope: 'send',
    params: ofGroup,
    body: v.object({ participants: members }),
    answer: participantsAnswer,
    errors: CHAT_CHANGE_ERRORS,
    timeoutMs: 60_000,
  },
  demoteParticipants: {
    summary: 'Demote admins of a group to plain members; one result for each, in order',
    method: 'POST',
    path: '/sessions/:id/groups/:groupId/participants/demote',
    scope: 'send',
    params: ofGroup,
    body: v.object({ participants: members }),
    answer: participantsAnswer,
    errors: CHAT_CHANGE_ERRORS,
    timeoutMs: 60_000,
  },
  setGroupDescription: {
    summary: 'Change the description of a group; an empty one removes it',
    method: 'PUT',
    path: '/sessions/:id/groups/:groupId/description',
    scope: 'send',
    params: ofGroup,
    body: v.object({ description }),
    answer: v.object({ groupId: networkId, description: writtenText(MOST_DESCRIPTION) }),
    errors: CHAT_CHANGE_ERRORS,
    timeoutMs: 30_000,
  },
  updateGroupSettings: {
    summary: 'Change settings of a group; returns all of them',
    method: 'PUT',
    path: '/sessions/:id/groups/:groupId/settings',
    scope: 'send',
    params: ofGroup,
    body: groupSettingsChange,
    answer: v.object({ groupId: networkId, settings: groupSettings }),
    errors: CHAT_CHANGE_ERRORS,
    timeoutMs: 60_000,
  },
} as const satisfies Record<string, Operation>;
