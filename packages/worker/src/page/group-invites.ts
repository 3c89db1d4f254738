import type { PageId } from './models.ts';
import { networkCode, Refusal } from './refusal.ts';
import {
  changingGroup,
  codesFor,
  joinRequests,
  notAdmin,
  openGroup,
  ownGroup,
  requireAdmin,
  requireGroup,
} from './tools/groups.ts';
import { lidOf, phoneOr } from './tools/identities.ts';

/** The network's code for a second request to join. */
const WAITS_ALREADY = 304;

/** The code of a group's invite. */
export async function getGroupInvite(groupId: string, membersMs: number): Promise<{ code: string }> {
  const { group, isAdmin } = await requireGroup(groupId, membersMs);
  // The page only reports a missing code here, not a refusal.
  if (isAdmin === false && group.groupMetadata?.memberLinkMode !== 'all_member_link') throw notAdmin();
  const { fetchMexGroupInviteCode } = window.require('WAWebMexFetchGroupInviteCodeJob');
  return changingGroup(async () => ({ code: await fetchMexGroupInviteCode(String(group.id)) }));
}

/** Revokes a group's invite. Returns the code of the new one. */
export async function renewGroupInvite(groupId: string, membersMs: number): Promise<{ code: string }> {
  const { group } = await requireAdmin(groupId, membersMs);
  const { code } = await changingGroup(() => window.require('WAWebGroupInviteJob').resetGroupInviteCode(group.id));
  return { code };
}

/** Queries the group of an invite. */
export async function getInvite(code: string): Promise<Record<string, unknown>> {
  const asking = async () => window.require('WAWebGroupQueryJob').queryGroupInvite(code);
  const group = await asking().catch(refuseInvite);
  return {
    groupId: String(group.id),
    subject: group.subject,
    description: group.desc,
    createdAt: group.creation,
    owner: phoneOr(group.owner),
    participantCount: group.size,
    approveJoins: Boolean(group.membershipApprovalMode),
  };
}

function refuseInvite(error: unknown): never {
  const code = networkCode(error);
  if (code === 404 || code === 406 || code === 410)
    throw new Refusal('chat_not_found', `no group has this invite: it is wrong, or was revoked (code ${code})`);
  throw code === 419 ? new Refusal('not_permitted', 'the group is full (code 419)') : error;
}

/** The joined group, and whether an admin has to approve it first. */
export interface Joined {
  readonly groupId: string;
  readonly waits: boolean;
}

/** Joins a group by its invite. */
export async function joinGroup(code: string, membersMs: number): Promise<Joined> {
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
    if (groupId !== undefined && networkCode(error) === WAITS_ALREADY) return { groupId, waits: true };
    return refuseInvite(error);
  }
}

/** Queries the pending requests to join a group. */
export async function listJoinRequests(groupId: string, membersMs: number): Promise<Record<string, unknown>[]> {
  const { group } = await requireAdmin(groupId, membersMs);
  const requests = await changingGroup(() => joinRequests(group.id));
  return requests.map(({ id, t, requestMethod }) => ({
    id: phoneOr(id),
    lid: lidOf(id),
    requestedAt: t,
    by: requestMethod,
  }));
}

/** Answers pending requests to join a group, in one request. Returns the network's code for each, in order. */
export async function answerJoinRequests(
  groupId: string,
  people: string[],
  answer: 'Approve' | 'Reject',
  membersMs: number,
): Promise<number[]> {
  const { group } = await requireAdmin(groupId, membersMs);
  const act = async (ids: readonly PageId[]) => {
    const { membershipApprovalRequestAction } = window.require('WAWebGroupMembershipRequestsActionJob');
    const requesters = ids.map((id) => (String(id).endsWith('@lid') ? { lid: id } : { phoneNumber: id }));
    const answered = (await membershipApprovalRequestAction(group.id, requesters, answer)) ?? [];
    return answered.map(({ wid: id, error }) => ({ id, code: error ? Number(error.value?.error) || 500 : 200 }));
  };
  return changingGroup(async () => codesFor(people, await joinRequests(group.id), act));
}
