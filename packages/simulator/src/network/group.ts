import { randomBytes, randomInt } from 'node:crypto';
import type { Group } from '../api.ts';
import type { Addressing } from '../control/inputs.ts';
import type { WireGroup } from '../page/wire.ts';
import { SimulatorError } from '../simulator-error.ts';
import type { AccountRecord, GroupRecord } from './records.ts';

/** The parts of a new group. */
export interface GroupParts {
  /** Random by default. */
  readonly id?: string | undefined;
  readonly subject: string;
  readonly addressing: Addressing;
  readonly announce?: boolean;
  readonly restrict?: boolean;
  readonly adminsAdd?: boolean;
  /** Random by default. */
  readonly inviteCode?: string | undefined;
}

/** A group with its creator as the only member. */
export function createGroup(creator: AccountRecord, draft: GroupParts): GroupRecord {
  const { id = createGroupId(), subject, addressing, announce = false, restrict = false, adminsAdd = false } = draft;
  return {
    kind: 'group',
    id,
    creator,
    subject,
    addressing,
    createdAt: Math.floor(Date.now() / 1000),
    description: undefined,
    announce,
    restrict,
    adminsAdd,
    approveJoins: false,
    ignoresSettings: false,
    inviteCode: draft.inviteCode ?? createInviteCode(),
    revokedCodes: new Set(),
    requests: new Map(),
    picture: undefined,
    members: new Map([[creator, 'superadmin']]),
    gone: new Map(),
  };
}

function createGroupId(): string {
  return `120363${String(randomInt(1e12)).padStart(12, '0')}@g.us`;
}

/** The last part of a link that lets people join. */
export function createInviteCode(): string {
  return randomBytes(16).toString('base64url');
}

/** True for admins, including the creator of the group. */
export function isAdmin(group: GroupRecord, account: AccountRecord): boolean {
  const rank = group.members.get(account);
  return rank === 'admin' || rank === 'superadmin';
}

/** Refuses with 403 a former member, and a member who is not an admin if only admins may write. */
export function requireWriter(group: GroupRecord, account: AccountRecord): void {
  if (!group.members.has(account))
    throw new SimulatorError(403, `to: ${account.number} is not in ${group.id} any more`);
  if (group.announce && !isAdmin(group, account)) {
    throw new SimulatorError(403, `to: in ${group.id} only admins write`);
  }
}

/** The id of a member in the group: number or LID. */
export function memberIdOf({ addressing }: GroupRecord, { lid, pn, hiddenNumber }: AccountRecord): string {
  return addressing === 'lid' || hiddenNumber ? lid : pn;
}

/** The group as phones see it. */
export function describeGroup(group: GroupRecord): Group {
  const { id, subject, addressing, members, announce, restrict, adminsAdd, approveJoins, inviteCode, requests } = group;
  const participants = [...members.keys()].map((member) => ({ id: member.pn, isAdmin: isAdmin(group, member) }));
  return {
    ...{ id, subject, addressing, participants, description: group.description?.text },
    settings: { announce, restrict, adminsAdd, approveJoins },
    ...{ inviteCode, requests: [...requests.keys()].map(({ pn }) => pn), pictureBytes: group.picture?.length },
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
    owner: memberIdOf(group, creator),
    isMember: members.has(viewer),
    description,
    participants: [...members].map(([member, rank]) => ({ id: memberIdOf(group, member), rank })),
  };
}
