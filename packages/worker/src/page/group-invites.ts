import type { GroupRefusal, PageId, Refused } from './models.ts';
import { codesFor, groupRefusal, joinRequests, openGroup, ownGroup } from './tools/groups.ts';
import { lidOf, phoneOr } from './tools/identities.ts';
import { refusal, refusedBy } from './tools/refusals.ts';

/** The code of a group's invite. */
export async function readInvite(groupId: string, membersMs: number): Promise<{ code: string } | GroupRefusal> {
  const own = await ownGroup(groupId, membersMs);
  if (!own) return 'no_group';
  const { group, isAdmin } = own;
  // The page only reports a missing code here, not a refusal.
  if (isAdmin === false && group.groupMetadata?.memberLinkMode !== 'all_member_link') return 'not_admin';
  try {
    const { fetchMexGroupInviteCode } = window.require('WAWebMexFetchGroupInviteCodeJob');
    return { code: await fetchMexGroupInviteCode(String(group.id)) };
  } catch (error) {
    return groupRefusal(error);
  }
}

/** Revokes a group's invite. Returns the code of the new one. */
export async function renewInvite(groupId: string, membersMs: number): Promise<{ code: string } | GroupRefusal> {
  const own = await ownGroup(groupId, membersMs);
  if (!own) return 'no_group';
  if (own.isAdmin === false) return 'not_admin';
  try {
    const { code } = await window.require('WAWebGroupInviteJob').resetGroupInviteCode(own.group.id);
    return { code };
  } catch (error) {
    return groupRefusal(error);
  }
}

/** Queries the group of an invite. */
export async function queryInvite(code: string): Promise<Record<string, unknown> | Refused> {
  try {
    const group = await window.require('WAWebGroupQueryJob').queryGroupInvite(code);
    return {
      groupId: String(group.id),
      subject: group.subject,
      description: group.desc,
      createdAt: group.creation,
      owner: phoneOr(group.owner),
      participantCount: group.size,
      approveJoins: Boolean(group.membershipApprovalMode),
    };
  } catch (error) {
    return refusedBy(error);
  }
}

/** The joined group, and whether an admin has to approve it first. */
export interface Joined {
  readonly groupId: string;
  readonly waits: boolean;
}

/** Joins a group by its invite. */
export async function joinByInvite(code: string, membersMs: number): Promise<Joined | Refused> {
  let groupId: string | undefined;
  try {
    const { id, membershipApprovalMode } = await window.require('WAWebGroupQueryJob').queryGroupInvite(code);
    groupId = String(id);
    const own = await ownGroup(groupId, membersMs);
    if (own?.members) return { groupId, waits: false };
    const waits = Boolean(membershipApprovalMode);
    const { gid } = await window.require('WAWebGroupInviteJob').joinGroupViaInvite(code, waits);
    if (!waits) await openGroup(gid, 'queryGroupInviteCode', { isGroupJoin: true });
    return { groupId: String(gid), waits };
  } catch (error) {
    // The mode changed meanwhile: the page throws, although the account has joined or waits.
    const { gid, membershipApprovalMode } = (error ?? {}) as { gid?: PageId; membershipApprovalMode?: boolean };
    if (gid) return { groupId: String(gid), waits: membershipApprovalMode === true };
    const waitsAlready = 304;
    if (groupId !== undefined && refusal(error) === waitsAlready) return { groupId, waits: true };
    return refusedBy(error);
  }
}

/** Queries the pending requests to join a group. */
export async function queryJoinRequests(
  groupId: string,
  membersMs: number,
): Promise<Record<string, unknown>[] | GroupRefusal> {
  const own = await ownGroup(groupId, membersMs);
  if (!own) return 'no_group';
  if (own.isAdmin === false) return 'not_admin';
  try {
    return (await joinRequests(own.group.id)).map(({ id, t, requestMethod }) => ({
      id: phoneOr(id),
      lid: lidOf(id),
      requestedAt: t,
      by: requestMethod,
    }));
  } catch (error) {
    return groupRefusal(error);
  }
}

/** Answers pending requests to join a group, in one request. Returns the network's code for each, in order. */
export async function answerJoinRequests(
  groupId: string,
  people: string[],
  answer: 'Approve' | 'Reject',
  membersMs: number,
): Promise<number[] | GroupRefusal> {
  const own = await ownGroup(groupId, membersMs);
  if (!own) return 'no_group';
  if (own.isAdmin === false) return 'not_admin';
  const wid = own.group.id;
  try {
    return await codesFor(people, await joinRequests(wid), async (ids) => {
      const { membershipApprovalRequestAction: act } = window.require('WAWebGroupMembershipRequestsActionJob');
      const requesters = ids.map((id) => (String(id).endsWith('@lid') ? { lid: id } : { phoneNumber: id }));
      const answered = (await act(wid, requesters, answer)) ?? [];
      return answered.map(({ wid: id, error }) => ({ id, code: error ? Number(error.value?.error) || 500 : 200 }));
    });
  } catch (error) {
    return groupRefusal(error);
  }
}
