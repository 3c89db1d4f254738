import { delay } from './delay.ts';
import type { PageChat, PageId } from './models.ts';
import { Refusal, refusedByNetwork, unreported } from './refusal.ts';
import {
  changingGroup,
  codesFor,
  idsOfPeople,
  loadGroups,
  memberCodes,
  noGroup,
  notAdmin,
  openGroup,
  ownGroup,
  requireAdmin,
  requireGroup,
} from './tools/groups.ts';
import { isMe } from './tools/identities.ts';

/** All groups. A group whose members are not loaded in time is listed without members. */
export async function listGroups(timeoutMs: number) {
  const { Chat } = window.require('WAWebCollections');
  const groups = Chat.getModelsArray().filter(({ id }) => String(id).endsWith('@g.us'));
  await loadGroups(groups, timeoutMs);
  const readGroup = async (chat: PageChat) => {
    const own = await ownGroup(String(chat.id), 0);
    return {
      id: String(chat.id),
      subject: chat.formattedTitle ?? chat.name,
      participantCount: own?.members?.length ?? chat.groupMetadata?.size,
      isMember: own !== undefined,
      isAdmin: own?.isAdmin,
    };
  };
  return Promise.all(groups.map(readGroup));
}

/** Changes a group's subject. */
export async function renameGroup(groupId: string, subject: string, membersMs: number): Promise<void> {
  const { group } = await requireGroup(groupId, membersMs);
  await changingGroup(() => window.require('WAWebGroupModifyInfoJob').setGroupSubject(group.id, subject));
}

/** Leaves a group. */
export async function leaveGroup(groupId: string, membersMs: number): Promise<void> {
  const own = await requireGroup(groupId, membersMs);
  const { sendExitGroup } = window.require('WAWebExitGroupAction');
  // Resolves with false if the network refuses; rejects if there is no answer, or if the page cannot store the change.
  const isLeft = await sendExitGroup(own.group).catch(() => 'unknown' as const);
  if (isLeft === 'unknown') throw unreported('the group was left');
  // Members cannot be queried after leaving.
  if (isLeft === false) throw own.members ? refusedByNetwork(400) : noGroup();
}

/**
 * Adds people in one request. Returns the network's code for each, in order: 404 if not registered, 409 if a member
 * already, 504 if missing in the answer or not answered in time, 503 if the look-up failed.
 */
export async function addParticipants(
  groupId: string,
  people: string[],
  timeoutMs: number,
  membersMs: number,
): Promise<number[]> {
  const { group, isAdmin } = await requireGroup(groupId, membersMs);
  const { participants: members, isLidAddressingMode: isByLid, memberAddMode } = group.groupMetadata ?? {};
  if (isAdmin === false && memberAddMode === 'admin_add') throw notAdmin();
  const idsOf = new Map<string, readonly string[] | 'unknown'>();
  for (const [n, ids] of (await idsOfPeople(people)).entries()) idsOf.set(people[n] ?? '', ids);
  const codes = new Map<string, number>();
  for (const [person, ids] of idsOf) {
    if (ids === 'unknown') codes.set(person, 503);
    else if (ids.length === 0) codes.set(person, 404);
    else if (ids.some((id) => members?.get(id))) codes.set(person, 409);
  }
  const added = [...idsOf].flatMap(([person, ids]) =>
    typeof ids === 'object' && !codes.has(person) ? [{ person, ids }] : [],
  );
  const wanted = added.map(({ person, ids }) => newMember(person, isByLid ? ids : []));
  const { addGroupParticipants: add } = window.require('WAWebGroupModifyParticipantsJob');
  const late = delay(timeoutMs);
  const adding = () => (wanted.length > 0 ? Promise.race([add(group.id, wanted), late]) : Promise.resolve(undefined));
  const answer = await changingGroup(adding);
  const answered = new Map((answer?.participants ?? []).map(({ userWid, code }) => [String(userWid), Number(code)]));
  // An invitation to join the network is not a success.
  for (const { phoneNumberWid: id } of answer?.invitedOutContacts ?? []) answered.set(String(id), 404);
  for (const { person, ids } of added) codes.set(person, ids.flatMap((id) => answered.get(id) ?? [])[0] || 504);
  return people.map((person) => codes.get(person) ?? 504);
}

/**
 * Removes people in one request. Returns the network's code for each, in order: 404 if not in the group, 405 for the
 * account itself, 504 if missing in the answer, 503 if the look-up failed.
 */
export async function removeParticipants(groupId: string, people: string[], membersMs: number): Promise<number[]> {
  const { group, members } = await requireAdmin(groupId, membersMs);
  // Only the list of members shows the form of id to remove a member by.
  if (!members) throw refusedByNetwork(429);
  const { createWid } = window.require('WAWebWidFactory');
  const isSelf = (person: string) => isMe(createWid(person) as PageId);
  const others = people.filter((person) => !isSelf(person));
  // The page's own action does not return the codes.
  const remove = async (ids: readonly PageId[]) => {
    const { removeGroupParticipants } = window.require('WAWebGroupModifyParticipantsJob');
    return memberCodes(await removeGroupParticipants(group.id, ids));
  };
  const codes = await changingGroup(() => codesFor(others, members, remove));
  return people.map((person) => (isSelf(person) ? 405 : (codes[others.indexOf(person)] ?? 504)));
}

/** A person to add, by hidden id if that is known: the page looks for the person's privacy token by the id it gets. */
function newMember(person: string, ids: readonly string[]) {
  const { createWid } = window.require('WAWebWidFactory');
  const lid = ids.find((id) => id.endsWith('@lid'));
  return { phoneNumber: createWid(person), ...(lid ? { lid: createWid(lid) } : {}) };
}

/** Creates a group. Returns its id. */
export async function createGroup(subject: string, people: string[]): Promise<{ readonly id: string }> {
  const ids = await idsOfPeople(people);
  // People with an unknown look-up result are included: the network decides.
  const registered = people.flatMap((person, n) => {
    const found = ids[n] ?? [];
    return found.length > 0 ? newMember(person, found === 'unknown' ? [] : found) : [];
  });
  if (registered.length === 0)
    throw new Refusal('recipient_not_found', 'none of the participants is registered on the network');
  const created = await window.require('WAWebGroupCreateJob').createGroup(
    {
      addressingModeOverride: 'lid',
      memberAddMode: true,
      membershipApprovalMode: false,
      // What all members may do: if false, only admins write or edit.
      announce: true,
      restrict: true,
      ephemeralDuration: 0,
      title: subject,
    },
    registered,
  );
  await openGroup(created.wid, 'createGroupAction');
  return { id: String(created.wid) };
}
