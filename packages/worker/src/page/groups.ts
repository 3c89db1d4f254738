import type { PageParticipant, PageWindow } from './window.ts';

declare const window: PageWindow;

/** Why a change of a group is not made. */
export type GroupRefusal = 'no_group' | 'not_admin';

/** Changes a group's subject. */
export async function renameGroup(groupId: string, subject: string): Promise<'ok' | GroupRefusal> {
  const group = window.chatWebTools.ownGroup(groupId);
  if (!group) return 'no_group';
  try {
    await window.require('WAWebGroupModifyInfoJob').setGroupSubject(group.id, subject);
    return 'ok';
  } catch (error) {
    if (window.chatWebTools.isRefusal(error)) return 'not_admin';
    throw error;
  }
}

/** Leaves a group. */
export async function leaveGroup(groupId: string): Promise<'ok' | GroupRefusal> {
  const group = window.chatWebTools.ownGroup(groupId);
  if (!group) return 'no_group';
  await window.require('WAWebExitGroupAction').sendExitGroup(group);
  return 'ok';
}

/** Adds people one by one; the network's code for each, in order, and 503 for those that the time did not suffice for. */
export async function addParticipants(
  groupId: string,
  people: string[],
  timeoutMs: number,
): Promise<number[] | GroupRefusal> {
  const group = window.chatWebTools.ownGroup(groupId);
  if (!group) return 'no_group';
  if (!group.iAmAdmin?.()) return 'not_admin';
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
    } catch {
      codes.push(500); // Others may have been added already: one that fails must not hide that.
    }
  }
  return codes;
}

/** Removes people, and waits a moment for the group to show it; the code for each, in order, as the group is after it. */
export async function removeParticipants(
  groupId: string,
  people: string[],
  settleMs: number,
): Promise<number[] | GroupRefusal> {
  const group = window.chatWebTools.ownGroup(groupId);
  if (!group?.groupMetadata) return 'no_group';
  if (!group.iAmAdmin?.()) return 'not_admin';
  const { participants } = group.groupMetadata;
  const found = await Promise.all(
    people.map(async (person) => {
      const { lid, phone } = await window.WWebJS.enforceLidAndPnRetrieval(person);
      return (lid && participants.get(String(lid))) || (phone && participants.get(String(phone))) || undefined;
    }),
  );
  const others = found.filter((member) => member !== undefined && !window.chatWebTools.isMe(member.id));
  const members = [...new Set(others)] as PageParticipant[];
  if (members.length > 0) {
    await window.require('WAWebModifyParticipantsGroupAction').removeParticipants(group, members);
  }
  // The page hears of the group's change on its own time.
  const deadline = Date.now() + settleMs;
  const isIn = ({ id }: PageParticipant) => group.groupMetadata?.participants.get(String(id)) !== undefined;
  while (members.some(isIn) && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return found.map((member) => {
    if (!member) return 404;
    if (window.chatWebTools.isMe(member.id)) return 405;
    return isIn(member) ? 500 : 200;
  });
}

/** Creates a group; its id, or that nobody asked for is on the network. */
export async function createGroup(subject: string, people: string[]): Promise<string> {
  const { queryWidExists } = window.require('WAWebQueryExistsJob');
  const wids = people.map((person) => window.require('WAWebWidFactory').createWid(person));
  const found = await Promise.all(wids.map(async (wid) => ((await queryWidExists(wid))?.wid ? wid : undefined)));
  const registered = found.filter((wid) => wid !== undefined);
  if (registered.length === 0) return 'nobody';
  const created = await window.require('WAWebGroupCreateJob').createGroup(
    {
      addressingModeOverride: 'lid',
      memberAddMode: false,
      membershipApprovalMode: false,
      announce: false,
      restrict: false,
      ephemeralDuration: 0,
      title: subject,
    },
    registered.map((phoneNumber) => ({ phoneNumber })),
  );
  return String(created.wid);
}
