import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { createWid, type Wid } from '../wid.ts';

/** A request to join, as the page stores it. */
interface JoinRequest {
  readonly id: Wid;
  /** Unix seconds. */
  readonly t: number;
  readonly addedBy: Wid;
  readonly requestMethod: 'InviteLink' | 'LinkedGroupJoin' | 'NonAdminAdd';
  readonly parentGroupId: undefined;
}

/** The person to approve or reject: by hidden id, otherwise by number. */
interface Requester {
  readonly lid?: Wid;
  readonly phoneNumber?: Wid;
}

/** Invites to groups, and the people who wait for approval. */
export function inviteModules({ connection }: Page): Modules {
  const stored = new Map<string, JoinRequest[]>();
  const refresh = async (group: Wid): Promise<void> => {
    const rows = await connection.request('join-requests', { id: String(group) });
    const requests = rows.map(({ id, t }) => ({
      id: createWid(id),
      t,
      addedBy: createWid(id),
      parentGroupId: undefined,
      requestMethod: 'InviteLink' as const,
    }));
    stored.set(String(group), requests);
  };
  const act = async (group: Wid, people: readonly Requester[], action: 'Approve' | 'Reject'): Promise<object[]> => {
    // A plain id is a TypeError.
    const ids = people.map(({ lid, phoneNumber }) => lid ?? (phoneNumber as Wid));
    const who = ids.map((id) => id.toJid());
    const params = { id: String(group), who, approve: action === 'Approve' };
    const codes = await connection.request('answer-join-requests', params);
    const errorOf = (code = 500) => (code === 200 ? undefined : { name: 'Error', value: { error: String(code) } });
    return ids.map((wid, index) => ({ wid, error: errorOf(codes[index]) }));
  };
  return {
    WAWebMexFetchGroupInviteCodeJob: {
      fetchMexGroupInviteCode: async (id: string | Wid): Promise<string> => {
        const { code } = await connection.request('invite-code', { id: id.toString() });
        if (code === null) throw new Error('[MEX][GROUP] group invite code is null');
        return code;
      },
    },
    WAWebGroupInviteJob: {
      resetGroupInviteCode: (id: Wid) => connection.request('renew-invite', { id: String(id) }),
      joinGroupViaInvite: async (code: string, expectsApproval: boolean): Promise<{ gid: Wid }> => {
        const { id, waits } = await connection.request('join', { code });
        if (waits !== Boolean(expectsApproval)) throw new UnexpectedJoinGroupViaInviteResponse(createWid(id), waits);
        return { gid: createWid(id) };
      },
    },
    WAWebGroupGetMembershipApprovalRequestsJob: { queryAndUpdateGroupMembershipApprovalRequests: refresh },
    WAWebApiMembershipApprovalRequestStore: {
      getMembershipApprovalRequests: async (group: Wid) => stored.get(String(group)) ?? [],
    },
    WAWebGroupMembershipRequestsActionJob: { membershipApprovalRequestAction: act },
  };
}

/** The group of an invite. It is not a group of the page, and no chat is created for it. */
export function queryGroupInvite({ connection }: Page) {
  return async (code: string): Promise<object> => {
    const group = await connection.request('invite', { code });
    return {
      id: createWid(group.id),
      subject: group.subject,
      desc: group.description?.text,
      descId: group.description?.id,
      creation: group.creation,
      owner: createWid(group.owner),
      size: group.participants.length,
      announce: group.announce,
      restrict: group.restrict,
      membershipApprovalMode: group.approveJoins,
      isLidAddressingMode: group.addressing === 'lid',
      participants: [],
    };
  };
}

/** The account has joined although the page expected approval, or the reverse. */
class UnexpectedJoinGroupViaInviteResponse extends Error {
  readonly gid: Wid;
  readonly membershipApprovalMode: boolean;

  constructor(gid: Wid, membershipApprovalMode: boolean) {
    super('');
    this.name = 'UnexpectedJoinGroupViaInviteResponse';
    this.gid = gid;
    this.membershipApprovalMode = membershipApprovalMode;
  }
}
