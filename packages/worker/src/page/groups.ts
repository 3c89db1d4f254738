import type { PageChat, PageWindow } from './window.ts';

declare const window: PageWindow;

/** Why a change of a group is not made. */
export type GroupRefusal = 'no_group' | 'not_admin';

/** Changes a group's subject. */
export async function renameGroup(groupId: string, subject: string): Promise<'ok' | GroupRefusal> {
  const group = window.require('WAWebCollections').Chat.get(groupId);
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
  const { Chat } = window.require('WAWebCollections');
  const group = Chat.get(groupId);
  const me = window.require('WAWebUserPrefsMeUser');
  const mine = [me.getMaybeMePnUser(), me.getMaybeMeLidUser()].map(String);
  const isMember = (chat: PageChat) =>
    chat.groupMetadata?.participants.getModelsArray().some(({ id }) => mine.includes(String(id))) ?? false;
  if (!group || !isMember(group)) return 'no_group';
  await window.require('WAWebExitGroupAction').sendExitGroup(group);
  return 'ok';
}

/** Adds people one by one; the network's code for each, in order. */
export async function addParticipants(groupId: string, people: string[]): Promise<number[] | GroupRefusal> {
  const group = window.require('WAWebCollections').Chat.get(groupId);
  if (!group?.groupMetadata) return 'no_group';
  if (!group.iAmAdmin?.()) return 'not_admin';
  const codes: number[] = [];
  for (const person of people) {
    const { lid, phone } = await window.WWebJS.enforceLidAndPnRetrieval(person);
    const { participants } = group.groupMetadata;
    if (!lid && !phone) codes.push(404);
    else if (participants.get(String(lid)) || participants.get(String(phone))) codes.push(409);
    else codes.push((await window.WWebJS.getAddParticipantsRpcResult(group.id, phone ?? lid)).code ?? 400);
  }
  return codes;
}

/** Removes people; true for each that was in the group, in order. */
export async function removeParticipants(groupId: string, people: string[]): Promise<boolean[] | GroupRefusal> {
  const group = window.require('WAWebCollections').Chat.get(groupId);
  if (!group?.groupMetadata) return 'no_group';
  if (!group.iAmAdmin?.()) return 'not_admin';
  const { participants } = group.groupMetadata;
  const found = await Promise.all(
    people.map(async (person) => {
      const { lid, phone } = await window.WWebJS.enforceLidAndPnRetrieval(person);
      return (lid && participants.get(String(lid))) || (phone && participants.get(String(phone))) || undefined;
    }),
  );
  const members = found.filter((member) => member !== undefined);
  if (members.length > 0) {
    await window.require('WAWebModifyParticipantsGroupAction').removeParticipants(group, members);
  }
  return found.map((member) => member !== undefined);
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
