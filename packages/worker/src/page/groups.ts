import { delay } from './delay.ts';
import type { GroupRefusal, PageId, Refused } from './models.ts';
import { codesFor, groupRefusal, idsOfPeople, memberCodes, openGroup, ownGroup } from './tools/groups.ts';
import { isMe } from './tools/identities.ts';
import { refusedBy } from './tools/refusals.ts';

/** Changes a group's subject. */
export async function renameGroup(groupId: string, subject: string, membersMs: number): Promise<'ok' | GroupRefusal> {
  const own = await ownGroup(groupId, membersMs);
  if (!own) return 'no_group';
  try {
    await window.require('WAWebGroupModifyInfoJob').setGroupSubject(own.group.id, subject);
    return 'ok';
  } catch (error) {
    return groupRefusal(error);
  }
}

/** Leaves a group. `unknown`: the page does not report the outcome. */
export async function leaveGroup(groupId: string, membersMs: number): Promise<'ok' | 'unknown' | GroupRefusal> {
  const own = await ownGroup(groupId, membersMs);
  if (!own) return 'no_group';
  const { sendExitGroup } = window.require('WAWebExitGroupAction');
  // Resolves with false if the network refuses; rejects if there is no answer, or if the page cannot store the change.
  const isLeft = await sendExitGroup(own.group).catch(() => 'unknown' as const);
  if (isLeft === 'unknown') return 'unknown';
  if (isLeft !== false) return 'ok';
  return own.members ? { refused: 400 } : 'no_group'; // Members cannot be queried after leaving.
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
): Promise<number[] | GroupRefusal> {
  const own = await ownGroup(groupId, membersMs);
  if (!own) return 'no_group';
  const { group, isAdmin } = own;
  const { participants: members, isLidAddressingMode: isByLid, memberAddMode } = group.groupMetadata ?? {};
  if (isAdmin === false && memberAddMode === 'admin_add') return 'not_admin';
  const idsOf = new Map<string, readonly string[] | 'unknown'>();
  for (const [n, ids] of (await idsOfPeople(people)).entries()) idsOf.set(people[n] ?? '', ids);
  const codes = new Map<string, number>();
  for (const [person, ids] of idsOf) {
    if (ids === 'unknown') codes.set(person, 503);
    else if (ids.length === 0) codes.set(person, 404);
    else if (ids.some((id) => members?.get(id))) codes.set(person, 409);
  }
  const { createWid } = window.require('WAWebWidFactory');
  const added = [...idsOf].flatMap(([person, ids]) =>
    typeof ids === 'object' && !codes.has(person) ? [{ person, ids }] : [],
  );
  const wanted = added.map(({ person, ids }) => {
    const lid = isByLid ? ids.find((id) => id.endsWith('@lid')) : undefined;
    return { phoneNumber: createWid(person), ...(lid ? { lid: createWid(lid) } : {}) };
  });
  try {
    const { addGroupParticipants: add } = window.require('WAWebGroupModifyParticipantsJob');
    const late = delay(timeoutMs);
    const answer = wanted.length > 0 ? await Promise.race([add(group.id, wanted), late]) : undefined;
    const answered = new Map((answer?.participants ?? []).map(({ userWid, code }) => [String(userWid), Number(code)]));
    // An invitation to join the network is not a success.
    for (const { phoneNumberWid: id } of answer?.invitedOutContacts ?? []) answered.set(String(id), 404);
    for (const { person, ids } of added) codes.set(person, ids.flatMap((id) => answered.get(id) ?? [])[0] || 504);
  } catch (error) {
    return groupRefusal(error);
  }
  return people.map((person) => codes.get(person) ?? 504);
}

/**
 * Removes people in one request. Returns the network's code for each, in order: 404 if not in the group, 405 for the
 * account itself, 504 if missing in the answer, 503 if the look-up failed.
 */
export async function removeParticipants(
  groupId: string,
  people: string[],
  membersMs: number,
): Promise<number[] | GroupRefusal> {
  const own = await ownGroup(groupId, membersMs);
  if (!own) return 'no_group';
  if (own.isAdmin === false) return 'not_admin';
  // Only the list of members shows the form of id to remove a member by.
  if (!own.members) return { refused: 429 };
  const { createWid } = window.require('WAWebWidFactory');
  const isSelf = (person: string) => isMe(createWid(person) as PageId);
  const others = people.filter((person) => !isSelf(person));
  try {
    // The page's own action does not return the codes.
    const codes = await codesFor(others, own.members, async (ids) => {
      const { removeGroupParticipants } = window.require('WAWebGroupModifyParticipantsJob');
      return memberCodes(await removeGroupParticipants(own.group.id, ids));
    });
    return people.map((person) => (isSelf(person) ? 405 : (codes[others.indexOf(person)] ?? 504)));
  } catch (error) {
    return groupRefusal(error);
  }
}

/** Creates a group. Returns its id, or that no participant is registered, or the network's code. */
export async function createGroup(
  subject: string,
  people: string[],
): Promise<{ readonly id: string } | 'none_registered' | Refused> {
  const { createWid } = window.require('WAWebWidFactory');
  try {
    const ids = await idsOfPeople(people);
    // People with an unknown look-up result are included: the network decides.
    const registered = people.filter((_, n) => ids[n] === 'unknown' || (ids[n] ?? []).length > 0);
    if (registered.length === 0) return 'none_registered';
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
      registered.map((person) => ({ phoneNumber: createWid(person) })),
    );
    await openGroup(created.wid, 'createGroupAction');
    return { id: String(created.wid) };
  } catch (error) {
    return refusedBy(error);
  }
}
