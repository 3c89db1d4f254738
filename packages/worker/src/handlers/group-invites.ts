import {
  cutText,
  type GroupInvite,
  groupInvite,
  type groupInviteOperations,
  type Invitation,
  invitation,
  type JoinRequest,
  joinRequest,
  LIMITS,
  MAX_JOIN_REQUESTS,
  type ParticipantResult,
} from '@chat-web/protocol';
import type { CallTime } from '../call-time.ts';
import type { HandlerDependencies, WorkerHandlers } from '../client/port.ts';
import { requireValid, validRows } from '../client/schemas.ts';
import { isoOf } from './group-details.ts';
import { results } from './groups.ts';

const BY: Readonly<Record<string, JoinRequest['by']>> = {
  InviteLink: 'invite',
  LinkedGroupJoin: 'community',
  NonAdminAdd: 'member',
};

export function groupInviteHandlers({ page }: HandlerDependencies): WorkerHandlers<keyof typeof groupInviteOperations> {
  const answer = async (groupId: string, people: string[], action: 'Approve' | 'Reject', time: CallTime) => {
    const asked = page.change(time.rest(), 'answerJoinRequests', groupId, people, action, time.step('members'));
    return { groupId, participants: results(people, { codes: await asked }).map(answered) };
  };

  return {
    getGroupInvite: async ({ groupId }, { time }) =>
      toInvite(groupId, await page.read(time.rest(), 'getGroupInvite', groupId, time.step('members'))),

    renewGroupInvite: async ({ groupId }, { time }) =>
      toInvite(groupId, await page.change(time.rest(), 'renewGroupInvite', groupId, time.step('members'))),

    getInvite: async ({ code }, { time }) => toInvitation(await page.read(time.rest(), 'getInvite', code)),

    joinGroup: async ({ code }, { time }) => {
      const { groupId, waits } = await page.change(time.rest(), 'joinGroup', code, time.step('members'));
      return { groupId, state: waits ? 'waiting' : 'joined' };
    },

    listJoinRequests: async ({ groupId }, { time }) =>
      toJoinRequests(await page.read(time.rest(), 'listJoinRequests', groupId, time.step('members'))),

    approveJoinRequests: ({ groupId, participants }, { time }) => answer(groupId, participants, 'Approve', time),

    rejectJoinRequests: ({ groupId, participants }, { time }) => answer(groupId, participants, 'Reject', time),
  };
}

function answered(one: ParticipantResult): ParticipantResult {
  return one.code === 404 ? { ...one, message: 'has no request to join the group' } : one;
}

function toInvite(groupId: string, { code }: { readonly code: string }): GroupInvite {
  return requireValid(groupInvite, { groupId, code, url: `https://chat.whatsapp.com/${code}` }, 'invite code');
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
  const read = {
    ...rest,
    subject: cutText(String(subject ?? ''), LIMITS.name),
    ...(description ? { description: cutText(String(description), LIMITS.body) } : {}),
    ...(created ? { createdAt: created } : {}),
    ...(owner ? { owner } : {}),
    ...(typeof participantCount === 'number' ? { participantCount } : {}),
  };
  return requireValid(invitation, read, 'invitation');
}

/** Pending requests to join, from the page's rows; invalid ones are left out. */
function toJoinRequests(rows: readonly Record<string, unknown>[]): JoinRequest[] {
  const read = rows.slice(0, MAX_JOIN_REQUESTS).map(({ id, lid, requestedAt, by }) => {
    const since = isoOf(requestedAt);
    const how = BY[String(by)];
    return {
      id,
      ...(lid ? { lid } : {}),
      ...(since ? { requestedAt: since } : {}),
      ...(how ? { by: how } : {}),
    };
  });
  return validRows(joinRequest, read);
}
