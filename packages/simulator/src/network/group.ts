import { SimulatorError } from '../errors.ts';
import type { WireGroup } from '../page/wire.ts';
import type { AccountRecord, GroupRecord } from './records.ts';

export function isAdmin(group: GroupRecord, account: AccountRecord): boolean {
  const rank = group.members.get(account);
  return rank === 'admin' || rank === 'superadmin';
}

/** Refuses with 403 a former member, and a member who is not an admin if only admins may write. */
export function requireWriter(group: GroupRecord, account: AccountRecord): void {
  if (!group.members.has(account)) throw new SimulatorError(403, `to: ${account.number} is no longer in ${group.id}`);
  if (group.announce && !isAdmin(group, account)) {
    throw new SimulatorError(403, `to: in ${group.id} only admins write`);
  }
}

/** The id of a member in the group: number or LID. */
export function memberIdOf({ addressing }: GroupRecord, { lid, pn, hiddenNumber }: AccountRecord): string {
  return addressing === 'lid' || hiddenNumber ? lid : pn;
}

/** The group as phones see it. */
export function describeGroup(group: GroupRecord) {
  const { id, subject, addressing, members, announce, restrict, adminsAdd, approveJoins, inviteCode, requests } = group;
  const { messageTimer } = group;
  const participants = [...members.keys()].map((member) => ({ id: member.pn, isAdmin: isAdmin(group, member) }));
  return {
    id,
    subject,
    addressing,
    participants,
    description: group.description?.text,
    settings: { announce, restrict, adminsAdd, approveJoins },
    messageTimer,
    inviteCode,
    requests: [...requests.keys()].map(({ pn }) => pn),
    pictureBytes: group.picture?.length,
  };
}

/** The group as the linked devices of an account see it. */
export function groupView(group: GroupRecord, viewer: AccountRecord): WireGroup {
  const { id, subject, creator, createdAt, addressing, announce, restrict, adminsAdd, approveJoins } = group;
  const { members, description } = group;
  return {
    id,
    subject,
    creation: createdAt,
    addressing,
    announce,
    restrict,
    adminsAdd,
    approveJoins,
    community: group.community,
    owner: memberIdOf(group, creator),
    isMember: members.has(viewer),
    description,
    participants: [...members].map(([member, rank]) => ({ id: memberIdOf(group, member), rank })),
  };
}
