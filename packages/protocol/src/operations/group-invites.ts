import * as v from 'valibot';
import { exampleGroup, exampleInvite } from '../examples.ts';
import { groupInvite, invitation, inviteCode, joinRequest, MAX_JOIN_REQUESTS } from '../group-resources.ts';
import { sessionId } from '../ids.ts';
import { listOf, networkId } from '../limits.ts';
import type { Operation } from '../operation.ts';
import { CHAT_CHANGE_ERRORS, changing, ofGroup, READ_ERRORS, reading } from './common.ts';
import { changingGroup, membersChange } from './groups.ts';

const ofInvite = v.object({ id: sessionId, code: inviteCode });
const inviteErrors = [...READ_ERRORS, 'chat_not_found', 'not_permitted'] as const;

export const groupInviteOperations = {
  getGroupInvite: {
    ...reading,
    summary: 'Get the invite of a group',
    path: '/sessions/:id/groups/:groupId/invite',
    params: ofGroup,
    answer: groupInvite,
    errors: inviteErrors,
    examples: { one: exampleGroup },
  },
  renewGroupInvite: {
    ...changingGroup,
    summary: 'Revoke the invite of a group, and get a new one',
    method: 'POST',
    path: '/sessions/:id/groups/:groupId/invite/renew',
    answer: groupInvite,
    examples: { one: exampleGroup },
  },
  getInvite: {
    ...reading,
    summary: 'Get the group that an invite is for',
    path: '/sessions/:id/invites/:code',
    params: ofInvite,
    answer: invitation,
    errors: inviteErrors,
    examples: { known: exampleInvite },
  },
  joinGroup: {
    ...changing,
    summary: 'Join a group by its invite; `waiting` if an admin has to approve it first',
    path: '/sessions/:id/invites/:code/join',
    params: ofInvite,
    answer: v.object({ groupId: networkId, state: v.picklist(['joined', 'waiting']) }),
    errors: CHAT_CHANGE_ERRORS,
    examples: { known: exampleInvite },
  },
  listJoinRequests: {
    ...reading,
    summary: 'List the requests to join a group',
    path: '/sessions/:id/groups/:groupId/join-requests',
    params: ofGroup,
    answer: listOf(joinRequest, MAX_JOIN_REQUESTS),
    errors: inviteErrors,
    examples: { all: exampleGroup },
  },
  approveJoinRequests: {
    ...membersChange,
    summary: 'Approve requests to join a group; one result for each person, in order',
    path: '/sessions/:id/groups/:groupId/join-requests/approve',
    examples: { one: { ...exampleGroup, participants: ['12025550105@c.us'] } },
  },
  rejectJoinRequests: {
    ...membersChange,
    summary: 'Reject requests to join a group; one result for each person, in order',
    path: '/sessions/:id/groups/:groupId/join-requests/reject',
    examples: { one: { ...exampleGroup, participants: ['12025550106@c.us'] } },
  },
} as const satisfies Record<string, Operation>;
