import type { GroupSettings } from '@chat-web/protocol';
import type { GroupRefusal } from './models.ts';
import { codesFor, groupRefusal, groupSettings, memberCodes, ownGroup, refreshGroup } from './tools/groups.ts';
import { lidOf, phoneOr } from './tools/identities.ts';
import { refusal } from './tools/refusals.ts';

/** A group, from the page's memory; queries its members if they are not loaded. */
export async function readGroup(groupId: string, membersMs: number): Promise<Record<string, unknown> | 'no_group'> {
  const own = await ownGroup(groupId, membersMs);
  if (!own) return 'no_group';
  const { group, members, isAdmin } = own;
  const known = group.groupMetadata;
  return {
    id: String(group.id),
    subject: group.formattedTitle ?? group.name,
    description: known?.desc,
    createdAt: known?.creation,
    owner: phoneOr(known?.owner),
    settings: groupSettings(group),
    participantCount: members?.length ?? known?.size,
    isAdmin,
    participants: members?.map((member) => ({
      id: phoneOr(member.id),
      lid: lidOf(member.id),
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
): Promise<number[] | GroupRefusal> {
  const own = await ownGroup(groupId, membersMs);
  if (!own) return 'no_group';
  if (own.isAdmin === false) return 'not_admin';
  if (!own.members) return { refused: 429 };
  const { group, members } = own;
  try {
    return await codesFor(people, members, async (ids) => {
      const jobs = window.require('WAWebGroupModifyParticipantsJob');
      // The page's own action does not return the codes.
      const run = change === 'promote' ? jobs.promoteGroupParticipants : jobs.demoteGroupParticipants;
      const answer = await run(group.id, ids, group.groupMetadata?.isLidAddressingMode === true);
      return memberCodes(answer);
    });
  } catch (error) {
    return groupRefusal(error);
  }
}

/** Changes a group's description; an empty one removes it. */
export async function setDescription(groupId: string, text: string, membersMs: number): Promise<'ok' | GroupRefusal> {
  const own = await ownGroup(groupId, membersMs);
  if (!own) return 'no_group';
  const { group } = own;
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
  try {
    try {
      await set();
    } catch (error) {
      if (refusal(error) !== 409) throw error;
      // The page missed a change by someone else; it may have received it meanwhile.
      const hasHeard = () => newest() !== replaced;
      if (!hasHeard()) await refreshGroup(group, hasHeard, membersMs);
      await set();
    }
    return 'ok';
  } catch (error) {
    return groupRefusal(error);
  }
}

/** The outcome of a change of settings. */
export interface ChangedSettings {
  /** The settings that the network accepted, in order. */
  readonly changed: readonly string[];
  /** The network's code for the next one, or that its outcome is unknown. */
  readonly refusal: number | 'unknown' | undefined;
  /** The settings as the page has them now. */
  readonly settings: GroupSettings;
  /** Whether the page shows the changes. */
  readonly isShown: boolean;
}

/** Changes settings of a group one by one, until one is refused. Waits until the page shows the changes. */
export async function changeSettings(
  groupId: string,
  wanted: GroupSettings,
  membersMs: number,
  settleMs: number,
): Promise<ChangedSettings | GroupRefusal> {
  const own = await ownGroup(groupId, membersMs);
  if (!own) return 'no_group';
  if (own.isAdmin === false) return 'not_admin';
  const { group } = own;
  const properties: Readonly<Record<string, string>> = {
    sendMessages: 'announcement',
    editInfo: 'restrict',
    approveJoins: 'membership_approval_mode',
  };
  const request = (setting: string, isForAdmins: boolean) => {
    const property = properties[setting];
    if (property)
      return window.require('WAWebGroupModifyInfoJob').setGroupProperty(group.id, property, isForAdmins ? 1 : 0);
    // If only admins add people, the page also lets only admins invite people by link.
    const links = isForAdmins && group.groupMetadata?.memberLinkMode !== 'admin_link';
    const update = {
      member_add_mode: isForAdmins ? 'ADMIN_ADD' : 'ALL_MEMBER_ADD',
      ...(links && { member_link_mode: 'ADMIN_LINK' }),
    };
    return window.require('WAWebMexUpdateGroupPropertyJob').mexUpdateGroupPropertyJob(String(group.id), update);
  };
  // One function returns a refusal, the other throws it.
  const codeIn = (answer: unknown): number | undefined => {
    const { name, value } = (answer ?? {}) as { name?: string; value?: Record<string, { value?: { code?: unknown } }> };
    if (name === undefined || name.endsWith('Success')) return undefined;
    return Number((value?.errorSetPropertyClientErrors ?? value?.errorServerErrors)?.value?.code) || 400;
  };
  const changed: string[] = [];
  let refused: number | 'unknown' | undefined;
  for (const [setting, value] of Object.entries(wanted)) {
    if (value === undefined) continue;
    let asked: Promise<unknown> | undefined;
    try {
      asked = request(setting, value === 'admins' || value === true);
      refused = codeIn(await asked);
    } catch (error) {
      if (!asked && changed.length === 0) throw error; // Nothing was sent.
      // An error of the page must not hide what was changed.
      refused = refusal(error) ?? 'unknown';
    }
    if (refused !== undefined) break;
    changed.push(setting);
  }
  if (refused === 404 && changed.length === 0) return 'no_group';
  const isShown = () => {
    const shown = groupSettings(group) as Record<string, unknown>;
    return changed.every((setting) => shown[setting] === (wanted as Record<string, unknown>)[setting]);
  };
  const isSettled = isShown() || (await refreshGroup(group, isShown, settleMs));
  return { changed, refusal: refused, settings: groupSettings(group), isShown: isSettled };
}
