import { Collection } from '../collection.ts';
import { Model } from '../model.ts';
import { createWid, type Wid } from '../wid.ts';
import type { WireGroup } from '../wire.ts';
import { openChat } from './chat.ts';
import { conn } from './conn.ts';
import { learnGroupContact } from './contact.ts';

interface ParticipantAttributes {
  id: Wid;
  isAdmin: boolean;
  isSuperAdmin: boolean;
}

/** A member of a group. */
export class Participant extends Model<ParticipantAttributes> {
  static override readonly props = ['id', 'isAdmin', 'isSuperAdmin'];
}

interface GroupAttributes {
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
  isLidAddressingMode: boolean;
  size: number;
  participants: Collection<Participant>;
}

/** What the page knows of a group besides its messages. */
export class GroupMetadata extends Model<GroupAttributes> {
  static override readonly props = [
    ...['id', 'subject', 'owner', 'creation', 'desc', 'descId', 'announce', 'restrict', 'memberAddMode'],
    ...['isLidAddressingMode', 'size', 'participants'],
  ];

  iAmAdmin(): boolean {
    const own = [conn.get('wid'), conn.get('lid')].map((id) => this.get('participants')?.get(id));
    return own.some((participant) => participant?.get('isAdmin'));
  }
}

/** Every group that the account is in, or has been in. */
export const groups = new Collection<GroupMetadata>(GroupMetadata);

/** Brings a group, its chat and its contact up to date. */
export function learnGroup(group: WireGroup): GroupMetadata {
  const { id, subject, announce, isMember } = group;
  const chat = openChat(id, subject);
  const metadata = groups.get(id) ?? groups.add(new GroupMetadata({ id: createWid(id) }));
  chat.groupMetadata = metadata;
  metadata.set(attributesOf(group));
  chat.set({ name: subject, formattedTitle: subject, isReadOnly: !isMember || (announce && !metadata.iAmAdmin()) });
  learnGroupContact(id, subject);
  return metadata;
}

function attributesOf(group: WireGroup): Partial<GroupAttributes> {
  const { subject, description, owner, creation, addressing, announce, restrict, adminsAdd } = group;
  const participants = new Collection<Participant>(Participant);
  for (const { id, rank } of group.participants) {
    const rights = { isAdmin: rank !== 'member', isSuperAdmin: rank === 'superadmin' };
    participants.add(new Participant({ id: createWid(id), ...rights }));
  }
  return {
    ...{ subject, owner: createWid(owner), creation, announce, restrict, participants },
    ...{ desc: description?.text, descId: description?.id, memberAddMode: adminsAdd ? 'admin_add' : 'all_member_add' },
    ...{ isLidAddressingMode: addressing === 'lid', size: group.participants.length },
  };
}
