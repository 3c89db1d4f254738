import type { GroupDraft, GroupUpdate } from '../control/inputs.ts';
import type { WireGroupChange } from '../page/wire.ts';
import { describeGroup } from './group.ts';
import { createMessageId } from './message.ts';
import type { Network } from './network.ts';
import type { AccountRecord } from './records.ts';

/** People who cannot be added are left out. */
export function createGroup(
  network: Network,
  account: AccountRecord,
  { id, subject, participants, inviteCode, community, ignoresSettings = false }: GroupDraft,
) {
  const others = people(network, participants, 'participants').filter((person) => person !== account);
  const { addressing } = account;
  const group = network.groups.create(account, { id, subject, addressing, inviteCode, community, restrict: true });
  group.ignoresSettings = ignoresSettings;
  network.groups.announce(group, others);
  return describeGroup(group);
}

export function listGroups({ groups }: Network, account: AccountRecord) {
  return groups
    .of(account)
    .filter(({ members }) => members.has(account))
    .map(describeGroup);
}

/** Joins by an invite, or waits for an admin to approve it. */
export function joinGroup({ groups }: Network, account: AccountRecord, code: string) {
  const { group, waits } = groups.join(code, account);
  return { groupId: group.id, waits };
}

export function updateGroup(network: Network, account: AccountRecord, id: string, update: GroupUpdate) {
  const { subject, description, settings = {}, add = [], remove, promote, demote, leave } = update;
  const { approve, reject, renewInvite, picture } = update;
  const { groups } = network;
  const group = groups.get(id, account);
  if (subject !== undefined) groups.set(group, account, { subject });
  if (description !== undefined) {
    const previous = group.description?.id;
    groups.set(group, account, { description: { id: createMessageId(account), text: description, previous } });
  }
  for (const [setting, value] of Object.entries(settings))
    groups.set(group, account, { [setting]: value } as unknown as WireGroupChange);
  for (const person of people(network, add, 'add')) groups.add(group, account, person);
  for (const [action, ids] of Object.entries({ remove, promote, demote })) {
    if (ids) groups.change(group, account, people(network, ids, action), action as 'remove');
  }
  if (approve) groups.answerRequests(group, account, people(network, approve, 'approve'), true);
  if (reject) groups.answerRequests(group, account, people(network, reject, 'reject'), false);
  if (renewInvite) groups.renewInvite(group, account);
  if (picture !== undefined)
    groups.setPicture(group, account, picture === null ? undefined : Buffer.from(picture, 'base64'));
  if (leave) groups.leave(group, account);
  return describeGroup(group);
}

function people({ directory }: Network, ids: readonly string[], field: string): AccountRecord[] {
  return ids.map((id) => directory.get(id, field));
}
