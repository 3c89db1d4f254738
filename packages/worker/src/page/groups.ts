import type { GroupRefusal, PageParticipant, PageWindow, Refused } from './window.ts';

declare const window: PageWindow;

/** Changes a group's subject. */
export async function renameGroup(groupId: string, subject: string, membersMs: number): Promise<'ok' | GroupRefusal> {
  const own = await window.chatWebTools.ownGroup(groupId, membersMs);
  if (!own) return 'no_group';
  try {
    await window.require('WAWebGroupModifyInfoJob').setGroupSubject(own.group.id, subject);
    return 'ok';
  } catch (error) {
    return window.chatWebTools.groupRefusal(error);
  }
}

/** Leaves a group. */
export async function leaveGroup(groupId: string, membersMs: number): Promise<'ok' | GroupRefusal> {
  const own = await window.chatWebTools.ownGroup(groupId, membersMs);
  if (!own) return 'no_group';
  // Also resolves if the network refuses, without its code.
  const isLeft = await window.require('WAWebExitGroupAction').sendExitGroup(own.group);
  if (isLeft !== false) return 'ok';
  return own.members ? { refused: 400 } : 'no_group'; // The members of a group that was left cannot be queried.
}

/** Adds people one by one. Returns the network's code for each, in order; 503 for those not tried in time. */
export async function addParticipants(
  groupId: string,
  people: string[],
  timeoutMs: number,
  membersMs: number,
): Promise<number[] | GroupRefusal> {
  const own = await window.chatWebTools.ownGroup(groupId, membersMs);
  if (!own) return 'no_group';
  const { group, isAdmin } = own;
  if (isAdmin === false) return 'not_admin';
  const deadline = Date.now() + timeoutMs;
  const codes: number[] = [];
  for (const person of people) {
    if (Date.now() > deadline) {
      codes.push(503);
      continue;
    }
    try {
      const { lid, phone } = await window.WWebJS.enforceLidAndPnRetrieval(person);
      const participants = group.groupMetadata?.participants;
      if (!lid && !phone) codes.push(404);
      else if (participants?.get(String(lid)) || participants?.get(String(phone))) codes.push(409);
      else codes.push((await window.WWebJS.getAddParticipantsRpcResult(group.id, phone ?? lid)).code ?? 400);
    } catch (error) {
      // Others may have been added already: their codes must be returned.
      codes.push(window.chatWebTools.refusal(error) === 429 ? 429 : 500);
    }
  }
  return codes;
}

/**
 * Removes people, and waits a moment until the group shows it. Returns a code for each, in order, from the group's
 * members.
 */
export async function removeParticipants(
  groupId: string,
  people: string[],
  timeoutMs: number,
  settleMs: number,
  membersMs: number,
): Promise<number[] | GroupRefusal> {
  const own = await window.chatWebTools.ownGroup(groupId, membersMs);
  if (!own) return 'no_group';
  const { group, members: known, isAdmin } = own;
  if (isAdmin === false) return 'not_admin';
  const participants = group.groupMetadata?.participants;
  // The page can only remove members that it has loaded.
  if (!known || !participants) return { refused: 429 };
  const tools = window.chatWebTools;
  const found = await tools.findPeople(people, known);
  const members = [
    ...new Set(found.flatMap((member) => (typeof member === 'object' && !tools.isMe(member.id) ? [member] : []))),
  ];
  const { removeParticipants: remove } = window.require('WAWebModifyParticipantsGroupAction');
  const codes = new Map<PageParticipant, number>();
  const removeBy = Date.now() + timeoutMs;
  if (members.length > 0) {
    try {
      await remove(group, members);
    } catch (error) {
      if (tools.refusal(error) !== undefined) throw error;
      // The page refuses all of them if one may not be removed, such as the creator of the group.
      for (const member of members) {
        if (Date.now() > removeBy) codes.set(member, 503);
        else
          await remove(group, [member]).catch((alone: unknown) => {
            codes.set(member, tools.refusal(alone) === 429 ? 429 : 403);
          });
      }
    }
  }
  // The page receives the group's change later.
  const deadline = Date.now() + settleMs;
  const isIn = ({ id }: PageParticipant) => group.groupMetadata?.participants?.get(String(id)) !== undefined;
  while (members.some((member) => isIn(member) && !codes.has(member)) && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return found.map((member) => {
    if (typeof member !== 'object') return member === 'unknown' ? 503 : 404;
    if (tools.isMe(member.id)) return 405;
    return isIn(member) ? (codes.get(member) ?? 500) : 200;
  });
}

/** Creates a group. Returns its id, that no participant is registered, or the network's code. */
export async function createGroup(
  subject: string,
  people: string[],
): Promise<{ readonly id: string } | 'none_registered' | Refused> {
  const { queryWidExists } = window.require('WAWebQueryExistsJob');
  try {
    const registered: object[] = [];
    for (const person of people) {
      const wid = window.require('WAWebWidFactory').createWid(person);
      if ((await queryWidExists(wid))?.wid) registered.push(wid);
    }
    if (registered.length === 0) return 'none_registered';
    const created = await window.require('WAWebGroupCreateJob').createGroup(
      {
        addressingModeOverride: 'lid',
        memberAddMode: true,
        membershipApprovalMode: false,
        // These two say what all members may do: with false, admins alone write and edit.
        announce: true,
        restrict: true,
        ephemeralDuration: 0,
        title: subject,
      },
      registered.map((phoneNumber) => ({ phoneNumber })),
    );
    return { id: String(created.wid) };
  } catch (error) {
    return window.chatWebTools.refusedBy(error);
  }
}
