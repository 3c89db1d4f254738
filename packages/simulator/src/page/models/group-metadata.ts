import { Collection } from '../collection.ts';
import { Model } from '../model.ts';
import type { Wid } from '../wid.ts';
import type { ParticipantCollection } from './participants.ts';

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
  /** Unknown until the members are known. */
  size: number;
  participants: ParticipantCollection;
}

/** The page's data of a group besides its messages. */
export class GroupMetadata extends Model<GroupAttributes> {
  static override readonly props = [
    ...['id', 'subject', 'owner', 'creation', 'desc', 'descId', 'announce', 'restrict', 'memberAddMode'],
    ...['memberLinkMode', 'membershipApprovalMode', 'isLidAddressingMode', 'size', 'participants'],
  ];
  /** Whether it should be requested again. One whose request was refused is not stale, and has no members. */
  stale = true;
  /** Its members were loaded from the network, and are kept up to date. */
  membersAreKnown = false;
}

/** The metadata of groups that the account is or was in; some may be missing. */
export const groups = new Collection<GroupMetadata>(GroupMetadata);
