import type { GroupSettings } from '@chat-web/protocol';
import type { PageChat } from './models.ts';
import { afterChanges, networkCode, Refusal, refusedByNetwork } from './refusal.ts';
import { removePicture, setPicture } from './tools/files.ts';
import {
  changingGroup,
  codesFor,
  communityOf,
  groupSettings,
  memberCodes,
  noGroup,
  refreshGroup,
  requireAdmin,
  requireGroup,
} from './tools/groups.ts';
import { lidOf, phoneOr, usernameOf } from './tools/identities.ts';

/** A group, from the page's memory; queries its members if they are not loaded. */
export async function getGroup(groupId: string, membersMs: number): Promise<Record<string, unknown>> {
  const { group, members, isAdmin } = await requireGroup(groupId, membersMs);
  const known = group.groupMetadata;
  return {
    id: String(group.id),
    subject: group.formattedTitle ?? group.name,
    description: known?.desc,
    createdAt: known?.creation,
    owner: phoneOr(known?.owner),
    settings: groupSettings(group),
    community: communityOf(group),
    participantCount: members?.length ?? known?.size,
    isAdmin,
    participants: members?.map((member) => ({
      id: phoneOr(member.id),
      lid: lidOf(member.id),
      username: usernameOf(member.id),
      role: member.isSuperAdmin ? 'superadmin' : member.isAdmin ? 'admin' : 'member',
    })),
  };
}

/** Promotes or demotes members in one request. Returns the network's code for each, in order. */
export async function changeRoles(
  groupId: string,
  people: string[],
  change: 'promote' | 'demote',
  membersMs: number,
): Promise<number[]> {
  const { group, members } = await requireAdmin(groupId, membersMs);
  if (!members) throw refusedByNetwork(429);
  return changingGroup(() =>
    codesFor(people, members, async (ids) => {
      const jobs = window.require('WAWebGroupModifyParticipantsJob');
      // The page's own action does not return the codes.
      const run = change === 'promote' ? jobs.promoteGroupParticipants : jobs.demoteGroupParticipants;
      return memberCodes(await run(group.id, ids, group.groupMetadata?.isLidAddressingMode === true));
    }),
  );
}

/** Changes a group's description; an empty one removes it. */
export async function setGroupDescription(groupId: string, text: string, membersMs: number): Promise<void> {
  const { group } = await requireGroup(groupId, membersMs);
  const { setGroupDescription } = window.require('WAWebGroupModifyInfoJob');
  const newest = () => group.groupMetadata?.descId;
  /** The description that the last attempt replaced. */
  let replaced: string | undefined;
  const set = async () => {
    const newDescId = await window.require('WAWebMsgKey').newId();
    replaced = newest();
    // Builds before August 2026 take four arguments.
    if (setGroupDescription.length > 1) return setGroupDescription(group.id, text || null, newDescId, replaced);
    const desc = text === '' ? undefined : text;
    return setGroupDescription({ groupWid: group.id, desc, newDescId, prevDescId: replaced });
  };
  await changingGroup(async () => {
    try {
      await set();
    } catch (error) {
      if (networkCode(error) !== 409) throw error;
      // The page missed a change by someone else; it may have received it meanwhile.
      const hasHeard = () => newest() !== replaced;
      if (!hasHeard()) await refreshGroup(group, hasHeard, membersMs);
      await set();
    }
  });
}

/**
 * Changes settings of a group one by one, until one is refused. Waits until the page shows the changes, and returns the
 * settings. A refusal names the settings that were changed before it.
 */
export async function updateGroupSettings(
  groupId: string,
  wanted: GroupSettings,
  membersMs: number,
  settleMs: number,
): Promise<GroupSettings> {
  const { group } = await requireAdmin(groupId, membersMs);
  const properties: Readonly<Record<string, string>> = {
    sendMessages: 'announcement',
    editInfo: 'restrict',
    approveJoins: 'membership_approval_mode',
  };
  const request = (setting: string, isForAdmins: boolean) => {
    const property = properties[setting];
    if (property)
      return window.require('WAWebGroupModifyInfoJob').setGroupProperty(group.id, property, isForAdmins ? 1 : 0);
    return setAddMode(group, isForAdmins);
  };
  // One function returns a refusal, the other throws it.
  const codeIn = (answer: unknown): number | undefined => {
    const { name, value } = (answer ?? {}) as { name?: string; value?: Record<string, { value?: { code?: unknown } }> };
    if (name === undefined || name.endsWith('Success')) return undefined;
    return Number((value?.errorSetPropertyClientErrors ?? value?.errorServerErrors)?.value?.code) || 400;
  };
  const changed: string[] = [];
  let refusal: Refusal | undefined;
  for (const [setting, value] of Object.entries(wanted)) {
    if (value === undefined) continue;
    let asked: Promise<unknown> | undefined;
    try {
      asked = request(setting, value === 'admins' || value === true);
      const code = codeIn(await asked);
      if (code !== undefined) refusal = refusalOfSetting(code, changed.length === 0);
    } catch (error) {
      if (!asked && changed.length === 0) throw error; // Nothing was sent.
      refusal = refusalOfSetting(networkCode(error), changed.length === 0);
    }
    if (refusal) break;
    changed.push(setting);
  }
  const isShown = () => {
    const shown = groupSettings(group) as Record<string, unknown>;
    return changed.every((setting) => shown[setting] === (wanted as Record<string, unknown>)[setting]);
  };
  const isSettled = isShown() || (await refreshGroup(group, isShown, settleMs));
  if (refusal) throw afterChanges(changed, refusal);
  if (isSettled) return groupSettings(group);
  throw new Refusal('outcome_unknown', 'the network did not refuse the settings, but the group does not have them');
}

/** Who adds people. If only admins do, the page also lets only admins share invites, in a second request. */
async function setAddMode(group: PageChat, isForAdmins: boolean): Promise<void> {
  const { mexUpdateGroupPropertyJob: update } = window.require('WAWebMexUpdateGroupPropertyJob');
  await update(String(group.id), { member_add_mode: isForAdmins ? 'ADMIN_ADD' : 'ALL_MEMBER_ADD' });
  // Unknown: this build or group has no such property.
  if (!isForAdmins || group.groupMetadata?.memberLinkMode !== 'all_member_link') return;
  await update(String(group.id), { member_link_mode: 'ADMIN_LINK' }).catch(() => {}); // Adding is restricted already.
}

/** By the network's code; undefined for an error of the page, which must not hide what was changed. */
function refusalOfSetting(code: number | undefined, isFirst: boolean): Refusal {
  if (code === undefined)
    return new Refusal('outcome_unknown', 'the web client failed, and may have changed a setting');
  return code === 404 && isFirst ? noGroup() : refusedByNetwork(code);
}

/** Refuses the call unless the page has the group. */
export function requireKnownGroup(groupId: string): void {
  if (!window.require('WAWebCollections').Chat.get(groupId)) throw noGroup();
}

/** Changes a group's picture to the image with that key, cropped to a square. */
export async function setGroupPicture(groupId: string, key: string, membersMs: number): Promise<void> {
  const { group } = await requireGroup(groupId, membersMs);
  await changingGroup(() => setPicture(group.id, key));
}

/** Removes a group's picture. */
export async function removeGroupPicture(groupId: string, membersMs: number): Promise<void> {
  const { group } = await requireGroup(groupId, membersMs);
  await changingGroup(() => removePicture(group.id));
}
