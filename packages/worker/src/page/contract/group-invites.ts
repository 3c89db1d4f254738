import type { PageId } from '../models.ts';
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
  WAWebMexFetchGroupInviteCodeJob: {
    /** Throws without one. */
    fetchMexGroupInviteCode(group: string): Promise<string>;
  };
  WAWebGroupInviteJob: {
    resetGroupInviteCode(group: unknown): Promise<{ code: string }>;
    /** With the wrong flag it joins, and throws `{gid, membershipApprovalMode}`; 304 if it waits already. */
    joinGroupViaInvite(code: string, expectsApproval: boolean): Promise<{ gid: PageId }>;
  };
  WAWebGroupGetMembershipApprovalRequestsJob: {
    /** Stores the answer. */
    queryAndUpdateGroupMembershipApprovalRequests(group: unknown): Promise<unknown>;
  };
  WAWebApiMembershipApprovalRequestStore: {
    /** As stored. */
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
  WAWebMexFetchGroupInviteCodeJob: { fetchMexGroupInviteCode: fn('getGroupInvite') },
  WAWebGroupInviteJob: {
    resetGroupInviteCode: fn('renewGroupInvite'),
    joinGroupViaInvite: fn('joinGroup'),
  },
  WAWebGroupGetMembershipApprovalRequestsJob: { queryAndUpdateGroupMembershipApprovalRequests: fn(...REQUESTS) },
  WAWebApiMembershipApprovalRequestStore: { getMembershipApprovalRequests: fn(...REQUESTS) },
  WAWebGroupMembershipRequestsActionJob: {
    membershipApprovalRequestAction: fn('approveJoinRequests', 'rejectJoinRequests'),
  },
};
