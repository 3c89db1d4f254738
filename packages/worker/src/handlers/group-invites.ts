import {
  cutText,
  GatewayError,
  type GroupInvite,
  groupInvite,
  type Handlers,
  type Invitation,
  invitation,
  type JoinRequest,
  joinRequest,
  LIMITS,
  MOST_JOIN_REQUESTS,
  type ParticipantResult,
} from '@chat-web/protocol';
import * as v from 'valibot';
import type { HandlerContext } from '../client/port.ts';
import {
  answerJoinRequests,
  joinByInvite,
  queryInvite,
  queryJoinRequests,
  readInvite,
  renewInvite,
} from '../page/group-invites.ts';
import { isoOf } from './group-details.ts';
import { allowed, MEMBERS_OF_ONE_TIMEOUT_MS, results } from './groups.ts';
import { refusedBy } from './sending.ts';

const READ_TIMEOUT_MS = 25_000;
const CHANGE_TIMEOUT_MS = 28_000;
const ANSWER_TIMEOUT_MS = 55_000;

const BY: Readonly<Record<string, JoinRequest['by']>> = {
  InviteLink: 'invite',
  LinkedGroupJoin: 'community',
  NonAdminAdd: 'member',
};

/** Handlers of the operations on invites of groups, and on requests to join. */
export function groupInviteHandlers({
  page,
}: HandlerContext): Handlers<
  | ('getGroupInvite' | 'renewGroupInvite' | 'getInvite' | 'joinGroup')
  | ('listJoinRequests' | 'approveJoinRequests' | 'rejectJoinRequests')
> {
  const answer = async (groupId: string, people: string[], action: 'Approve' | 'Reject') => {
    const asked = page.change(
      ANSWER_TIMEOUT_MS,
      ...([answerJoinRequests, groupId, people, action, MEMBERS_OF_ONE_TIMEOUT_MS] as const),
    );
    return { groupId, participants: results(people, allowed(await asked)).map(answered) };
  };

  return {
    getGroupInvite: async ({ groupId }) =>
      toInvite(groupId, allowed(await page.read(READ_TIMEOUT_MS, readInvite, groupId, MEMBERS_OF_ONE_TIMEOUT_MS))),

    renewGroupInvite: async ({ groupId }) =>
      toInvite(groupId, allowed(await page.change(CHANGE_TIMEOUT_MS, renewInvite, groupId, MEMBERS_OF_ONE_TIMEOUT_MS))),

    getInvite: async ({ code }) => toInvitation(invited(await page.read(READ_TIMEOUT_MS, queryInvite, code))),

    joinGroup: async ({ code }) => {
      const asked = page.change(CHANGE_TIMEOUT_MS, joinByInvite, code, MEMBERS_OF_ONE_TIMEOUT_MS);
      const { groupId, waits } = invited(await asked);
      return { groupId, state: waits ? 'waiting' : 'joined' };
    },

    listJoinRequests: async ({ groupId }) => {
      const asked = page.read(READ_TIMEOUT_MS, queryJoinRequests, groupId, MEMBERS_OF_ONE_TIMEOUT_MS);
      return toJoinRequests(allowed(await asked));
    },

    approveJoinRequests: ({ groupId, participants }) => answer(groupId, participants, 'Approve'),

    rejectJoinRequests: ({ groupId, participants }) => answer(groupId, participants, 'Reject'),
  };
}

/** The result of a script on an invite; throws if the network refused it. */
function invited<T extends object>(outcome: T | { readonly refused: number }): T {
  if (!('refused' in outcome)) return outcome;
  const { refused } = outcome;
  if (refused === 404 || refused === 406 || refused === 410)
    throw new GatewayError('chat_not_found', `no group has this invite: it is wrong, or was revoked (code ${refused})`);
  if (refused === 419) throw new GatewayError('not_permitted', 'the group is full (code 419)');
  throw refusedBy(refused);
}

function answered(one: ParticipantResult): ParticipantResult {
  return one.code === 404 ? { ...one, message: 'has no request to join the group' } : one;
}

function toInvite(groupId: string, { code }: { readonly code: string }): GroupInvite {
  const read = v.safeParse(groupInvite, { groupId, code, url: `https://chat.whatsapp.com/${code}` });
  if (read.success) return read.output;
  throw new GatewayError('client_failed', 'the web client returned an invalid invite code');
}

function toInvitation({
  description,
  createdAt,
  subject,
  owner,
  participantCount,
  ...rest
}: Record<string, unknown>): Invitation {
  const created = isoOf(createdAt);
  const read = v.safeParse(invitation, {
    ...rest,
    subject: cutText(String(subject ?? ''), LIMITS.name),
    ...(description ? { description: cutText(String(description), LIMITS.body) } : {}),
    ...(created ? { createdAt: created } : {}),
    ...(owner ? { owner } : {}),
    ...(typeof participantCount === 'number' ? { participantCount } : {}),
  });
  if (read.success) return read.output;
  throw new GatewayError('client_failed', 'the web client returned an invalid invitation');
}

/** Pending requests to join, from the page's rows; invalid ones are left out. */
function toJoinRequests(rows: readonly Record<string, unknown>[]): JoinRequest[] {
  return rows.slice(0, MOST_JOIN_REQUESTS).flatMap(({ id, lid, requestedAt, by }) => {
    const since = isoOf(requestedAt);
    const how = BY[String(by)];
    const read = v.safeParse(joinRequest, {
      ...{ id, ...(lid ? { lid } : {}), ...(since ? { requestedAt: since } : {}), ...(how ? { by: how } : {}) },
    });
    return read.success ? [read.output] : [];
  });
}
