import type { PageId } from '../window.ts';
import { type Contract, fn } from './part.ts';

/** A pending request to join a group. */
export interface JoinRequestRow {
  readonly id: PageId;
  readonly t?: number;
  readonly requestMethod?: string;
}

/** The outcome of an answer to a request. */
interface Answered {
  readonly wid?: PageId;
  readonly error?: { readonly value?: { readonly error?: unknown } };
}

/** Modules for invites of groups, and for requests to join. */
export interface GroupInviteModules {
  WAWebMexFetchGroupInviteCodeJob: { fetchMexGroupInviteCode(group: string): Promise<string> };
  WAWebGroupInviteJob: {
    resetGroupInviteCode(group: unknown): Promise<{ code: string }>;
    joinGroupViaInvite(code: string, expectsApproval: boolean): Promise<{ gid: PageId }>;
  };
  WAWebGroupGetMembershipApprovalRequestsJob: {
    queryAndUpdateGroupMembershipApprovalRequests(group: unknown): Promise<unknown>;
  };
  WAWebApiMembershipApprovalRequestStore: {
    getMembershipApprovalRequests(group: unknown): Promise<readonly JoinRequestRow[]>;
  };
  WAWebGroupMembershipRequestsActionJob: {
    membershipApprovalRequestAction(
      group: unknown,
      people: readonly ({ lid: PageId } | { phoneNumber: PageId })[],
      answer: 'Approve' | 'Reject',
    ): Promise<readonly Answered[] | undefined>;
  };
}

const REQUESTS = ['listJoinRequests', 'approveJoinRequests', 'rejectJoinRequests'] as const;

/** Their parts. */
export const groupInviteParts: Contract<GroupInviteModules> = {
  WAWebMexFetchGroupInviteCodeJob: {
    fetchMexGroupInviteCode: fn('(group id) → Promise<code>; throws without one', 'getGroupInvite'),
  },
  WAWebGroupInviteJob: {
    resetGroupInviteCode: fn('(group id) → Promise<{code}>', 'renewGroupInvite'),
    joinGroupViaInvite: fn(
      '(code, is approval needed?) → Promise<{gid}>; with the wrong flag it joins, and throws {gid, membershipApprovalMode}; 304 if it waits already',
      'joinGroup',
    ),
  },
  WAWebGroupGetMembershipApprovalRequestsJob: {
    queryAndUpdateGroupMembershipApprovalRequests: fn('(group id) → Promise; stores the answer', ...REQUESTS),
  },
  WAWebApiMembershipApprovalRequestStore: {
    getMembershipApprovalRequests: fn('(group id) → Promise<[{id, t, requestMethod}]>, as stored', ...REQUESTS),
  },
  WAWebGroupMembershipRequestsActionJob: {
    membershipApprovalRequestAction: fn(
      "(group id, [{lid} | {phoneNumber}], 'Approve' | 'Reject') → Promise<[{wid, error: {value: {error: code}}}]>",
      ...(['approveJoinRequests', 'rejectJoinRequests'] as const),
    ),
  },
};
