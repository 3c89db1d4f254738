import { switches } from '../switches.ts';
import { createWid } from '../wid.ts';
import type { WireGroup } from '../wire.ts';
import { type Chat, openChat } from './chat.ts';
import { conn } from './conn.ts';
import { updateGroupContact } from './contact.ts';
import { type GroupAttributes, GroupMetadata, groups, ParticipantCollection } from './group-metadata.ts';

/** The page's database of groups, members included. */
const stored = new Map<string, WireGroup>();

/** A group from the page's database. */
export function storedGroup(id: string): WireGroup | undefined {
  return switches.groupsStored ? stored.get(id) : undefined;
}

/** Updates a group with its members, its chat and its contact. */
export function updateGroup(group: WireGroup): GroupMetadata {
  stored.set(group.id, group);
  const chat = updateChat(group);
  const metadata = metadataOf(chat, group);
  metadata.set({ ...attributesOf(group), size: group.participants.length });
  ensureParticipants(metadata).setMembers(group.participants);
  metadata.stale = false;
  metadata.membersAreKnown = true;
  setReadOnly(chat, group);
  return metadata;
}

/**
 * Updates a group from data that the page did not request. With lazy members that leaves out the members, in one of
 * the ways seen in real pages, by the last digit of the id: no metadata, an empty list, no list, or a list that is not
 * whole, without the account.
 */
export function updateUnrequestedGroup(group: WireGroup): void {
  stored.set(group.id, group);
  if (!switches.lazyParticipants || groups.get(group.id)?.membersAreKnown) {
    updateGroup(group);
    return;
  }
  const chat = updateChat(group);
  setReadOnly(chat, group);
  const variant = Number(group.id.replace(/\D/g, '').at(-1)) % 4;
  if (variant === 0 && !groups.get(group.id)) return;
  const metadata = metadataOf(chat, group);
  metadata.set(attributesOf(group));
  if (variant === 1) ensureParticipants(metadata);
  if (variant !== 3) return;
  metadata.set({ size: group.participants.length });
  const others = group.participants.filter(
    ({ id }) => String(conn.get('wid')) !== id && String(conn.get('lid')) !== id,
  );
  ensureParticipants(metadata).setMembers(others);
}

function updateChat({ id, subject }: WireGroup): Chat {
  const chat = openChat(id, subject);
  chat.set({ name: subject, formattedTitle: subject });
  updateGroupContact(id, subject);
  return chat;
}

function metadataOf(chat: Chat, { id }: WireGroup): GroupMetadata {
  const metadata = groups.get(id) ?? groups.add(new GroupMetadata({ id: createWid(id) }));
  chat.groupMetadata = metadata;
  return metadata;
}

function ensureParticipants(metadata: GroupMetadata): ParticipantCollection {
  const participants = metadata.get('participants') ?? new ParticipantCollection();
  metadata.set({ participants });
  return participants;
}

/** Older builds also count groups in which only admins write. */
function setReadOnly(chat: Chat, { announce, isMember }: WireGroup): void {
  const isMute = !switches.lazyParticipants && announce && !chat.iAmAdmin();
  chat.set({ isReadOnly: !isMember || isMute });
}

function attributesOf(group: WireGroup): Partial<GroupAttributes> {
  const { subject, description, owner, creation, addressing, announce, restrict, adminsAdd, approveJoins } = group;
  const { role, id: parent } = group.community ?? {};
  return {
    subject,
    owner: createWid(owner),
    creation,
    announce,
    restrict,
    desc: description?.text,
    descId: description?.id,
    memberAddMode: adminsAdd ? 'admin_add' : 'all_member_add',
    memberLinkMode: 'admin_link',
    membershipApprovalMode: approveJoins,
    isLidAddressingMode: addressing === 'lid',
    isParentGroup: role === 'parent',
    parentGroup: parent === undefined ? undefined : createWid(parent),
    defaultSubgroup: role === 'announcements',
  };
}
