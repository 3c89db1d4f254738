import { Collection } from '../collection.ts';
import { Model } from '../model.ts';
import { createWid, type Wid } from '../wid.ts';
import type { WireGroup } from '../wire.ts';
import { conn } from './conn.ts';

interface ParticipantAttributes {
  id: Wid;
  isAdmin: boolean;
  isSuperAdmin: boolean;
}

class Participant extends Model<ParticipantAttributes> {
  static override readonly props = ['id', 'isAdmin', 'isSuperAdmin'];
}

export class ParticipantCollection extends Collection<Participant> {
  constructor() {
    super(Participant);
  }

  /** Replaces them by those of the group on the network. */
  setMembers(members: WireGroup['participants']): void {
    const ids = new Set(members.map(({ id }) => id));
    for (const member of this.getModelsArray()) if (!ids.has(String(member.get('id')))) this.remove(member);
    for (const { id, rank } of members) {
      const rights = { isAdmin: rank !== 'member', isSuperAdmin: rank === 'superadmin' };
      const present = this.get(id);
      if (present) present.set(rights);
      else this.add(new Participant({ id: createWid(id), ...rights }));
    }
  }

  getMeParticipant(): Participant | undefined {
    return this.get(conn.get('lid')) ?? this.get(conn.get('wid'));
  }

  iAmAdmin(): boolean {
    return this.getMeParticipant()?.get('isAdmin') === true;
  }

  canRemove(participant: Participant | undefined): boolean {
    return participant !== undefined && participant !== this.getMeParticipant() && this.iAmAdmin();
  }
}

/** The attributes of a group besides its messages. */
export interface GroupAttributes {
  id: Wid;
  subject: string;
  owner: Wid;
  /** Unix seconds. */
  creation: number;
  desc: string | undefined;
  descId: string | undefined;
  announce: boolean;
  restrict: boolean;
  memberAddMode: 'admin_add' | 'all_member_add';
  memberLinkMode: 'admin_link' | 'all_member_link';
  membershipApprovalMode: boolean;
  isLidAddressingMode: boolean;
  isParentGroup: boolean;
  /** The community that it is in. */
  parentGroup: Wid | undefined;
  /** For the announcements of a community. */
  defaultSubgroup: boolean;
  /** Unknown until the members are known. */
  size: number;
  participants: ParticipantCollection;
}

/** The page's data of a group besides its messages. */
export class GroupMetadata extends Model<GroupAttributes> {
  static override readonly props = [
    'id',
    'subject',
    'owner',
    'creation',
    'desc',
    'descId',
    'announce',
    'restrict',
    'memberAddMode',
    'memberLinkMode',
    'membershipApprovalMode',
    'isLidAddressingMode',
    'isParentGroup',
    'parentGroup',
    'defaultSubgroup',
    'size',
    'participants',
  ];
  /** Whether it should be requested again. One whose request was refused is not stale, and has no members. */
  stale = true;
  /** Its members were loaded from the network, and are kept up to date. */
  membersAreKnown = false;
}

/** The metadata of groups that the account is or was in; some may be missing. */
export const groups = new Collection<GroupMetadata>(GroupMetadata);
