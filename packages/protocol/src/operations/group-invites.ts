import * as v from 'valibot';
import { groupInvite, invitation, inviteCode, joinRequest, MOST_JOIN_REQUESTS } from '../group-resources.ts';
import { sessionId } from '../ids.ts';
import { listOf, networkId } from '../limits.ts';
import type { Operation } from '../operation.ts';
import { CHAT_CHANGE_ERRORS, ofGroup, READ_ERRORS } from './common.ts';
import { members, participantsAnswer } from './groups.ts';

const ofInvite = v.object({ id: sessionId, code: inviteCode });
const inviteErrors = [...READ_ERRORS, 'chat_not_found', 'not_permitted'] as const;

/** Operations on invites of groups, and on those who ask to be let in: the session's worker answers them. */
export const groupInviteOperations = {
  getGroupInvite: {
    summary: 'Get the invite of a group',
    method: 'GET',
    path: '/sessions/:id/groups/:groupId/invite',
    scope: 'read',
    params: ofGroup,
    answer: groupInvite,
    errors: inviteErrors,
    timeoutMs: 30_000,
  },
  renewGroupInvite: {
    summary: 'Revoke the invite of a group, and get a new one',
    method: 'POST',
    path: '/sessions/:id/groups/:groupId/invite/renew',
    scope: 'send',
    params: ofGroup,
    answer: groupInvite,
    errors: CHAT_CHANGE_ERRORS,
    timeoutMs: 30_000,
  },
  getInvite: {
    summary: 'Get the group that an invite is for',
    method: 'GET',
    path: '/sessions/:id/invites/:code',
    scope: 'read',
    params: ofInvite,
    answer: invitation,
    errors: inviteErrors,
    timeoutMs: 30_000,
  },
  joinGroup: {
    summary: 'Join a group by its invite; `waiting` if an admin has to approve it first',
    method: 'POST',
    path: '/sessions/:id/invites/:code/join',
    scope: 'send',
    params: ofInvite,
    answer: v.object({ groupId: networkId, state: v.picklist(['joined', 'waiting']) }),
    errors: CHAT_CHANGE_ERRORS,
    timeoutMs: 30_000,
  },
  listJoinRequests: {
    summary: 'List the requests to join a group',
    method: 'GET',
    path: '/sessions/:id/groups/:groupId/join-requests',
    scope: 'read',
    params: ofGroup,
    answer: listOf(joinRequest, MOST_JOIN_REQUESTS),
    errors: inviteErrors,
    timeoutMs: 30_000,
  },
  approveJoinRequests: {
    summary: 'Approve requests to join a group; one result for each person, in order',
    method: 'POST',
    path: '/sessions/:id/groups/:groupId/join-requests/approve',
    scope: 'send',
    params: ofGroup,
    body: v.object({ participants: members }),
    answer: participantsAnswer,
    errors: CHAT_CHANGE_ERRORS,
    timeoutMs: 60_000,
  },
  rejectJoinRequests: {
    summary: 'Reject requests to join a group; one result for each person, in order',
    method: 'POST',
    path: '/sessions/:id/groups/:groupId/join-requests/reject',
    scope: 'send',
    params: ofGroup,
    body: v.object({ participants: members }),
    answer: participantsAnswer,
    errors: CHAT_CHANGE_ERRORS,
    timeoutMs: 60_000,
  },
} as const satisfies Record<string, Operation>;
