import type { GroupSettings } from '@chat-web/protocol';
import type { JoinRequestRow } from '../contract/group-invites.ts';
import type { MemberCodes } from '../contract/groups.ts';
import { holds, resultWithin, within } from '../delay.ts';
import type { MessageModel, OwnGroup, PageChat, PageId, PageParticipant } from '../models.ts';
import { networkCode, Refusal } from '../refusal.ts';
import { idsOf, isMe, optional } from './identities.ts';
import { retrieveIds } from './library.ts';
import { queryNumbers } from './numbers.ts';

const READS_AT_ONCE = 2;
/** A read that takes longer has gone on from the database to the network. */
const STORED_MS = 500;
/** With more, one request for all groups is better. */
const MAX_MISSING = 4;
const MAX_QUERIED = 5;

/** The network's code for a person. */
interface PersonCode {
  readonly id: PageId | undefined;
  readonly code: number;
}

const MODELS_MS = 1_000;

function loaded(group: PageChat) {
  return group.groupMetadata?.participants?.getModelsArray() ?? [];
}

/** Groups whose members have been queried, even if the page's number of members is greater than its list. */
const queried = new WeakSet<PageChat>();

/**
 * True if members are missing: the page loads them from its database in batches. A list that is shorter than the group
 * is complete once the network has been asked, but only with the account itself: without, it would look like an outsider.
 */
function isIncomplete(group: PageChat): boolean {
  const members = loaded(group);
  if (members.length === 0) return true;
  if (members.length >= (group.groupMetadata?.size ?? 0)) return false;
  return !queried.has(group) || !members.some(({ id }) => isMe(id));
}

function query(group: PageChat): Promise<unknown> | undefined {
  const { GroupMetadata, WAWebGroupMetadataCollection } = window.require('WAWebCollections');
  const job = optional('WAWebGroupQueryJob')?.queryAndUpdateGroupMetadataById;
  // The job rejects if the network limits the rate; the collection would return no members.
  return job ? job({ id: group.id }) : (GroupMetadata ?? WAWebGroupMetadataCollection)?.update(group.id);
}

/**
 * Reads the members from the page's database, filled during linking. Queries the network only if they are not there.
 */
async function readStored(group: PageChat, timeoutMs: number) {
  const { GroupMetadata, WAWebGroupMetadataCollection } = window.require('WAWebCollections');
  const reading = (GroupMetadata ?? WAWebGroupMetadataCollection)?.find?.(group.id);
  await resultWithin(reading, timeoutMs);
}

/** Waits for the models, which are set a moment after an answer. */
async function untilLoaded(groups: readonly PageChat[], deadline: number) {
  await holds(() => !groups.some(isIncomplete), Math.min(deadline - Date.now(), MODELS_MS));
}

async function membersOf(group: PageChat, timeoutMs: number) {
  const deadline = Date.now() + timeoutMs;
  if (isIncomplete(group) && timeoutMs > 0) await readStored(group, timeoutMs);
  if (isIncomplete(group) && Date.now() < deadline) {
    try {
      await within(query(group), deadline - Date.now());
      await untilLoaded([group], deadline);
    } finally {
      queried.add(group);
    }
  }
  return isIncomplete(group) ? undefined : loaded(group);
}

const outside = new Set(['not_member', 'terminated', 'terminated_local']);

/** Ids of groups that, according to the network, the account is not in; removed if members load later. */
const left = new Set<string>();

/** Asks separately: the query for members hides that the account is not a member, or that the group is gone. */
async function isOutside(group: PageChat, timeoutMs: number) {
  if (left.has(String(group.id))) return true;
  if (timeoutMs <= 0) return false;
  const query = optional('WAWebGroupQueryGroupJob')?.queryGroupJob?.(group.id, 'enter_group_info');
  return outside.has((await within(query, timeoutMs))?.status ?? '');
}

// The network's rate limit for a request for all groups is stricter than for others.
const BETWEEN_MS = 300_000;

let nextQueryAt = 0;

async function queryAll(missing: readonly PageChat[], deadline: number) {
  const run = optional('WAWebQueryAndUpdateGroupMetadataJob')?.queryAndUpdateAllGroupMetadata;
  if (!run || Date.now() < nextQueryAt) return;
  nextQueryAt = Date.now() + BETWEEN_MS;
  await resultWithin(run({}), deadline - Date.now());
  await untilLoaded(missing, deadline);
  for (const group of missing) queried.add(group);
}

/**
 * Loads the members of groups: from the page's database, and if that lacks several, in one request for all groups.
 * Afterwards, `ownGroup` needs no time for them.
 */
export async function loadGroups(groups: readonly PageChat[], timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  const unloaded = () => groups.filter((group) => isIncomplete(group) && !left.has(String(group.id)));
  const waiting = unloaded();
  let missing = 0;
  const work = async () => {
    while (waiting.length > 0 && missing < MAX_MISSING && Date.now() < deadline) {
      const group = waiting.shift() as PageChat;
      const startedAt = Date.now();
      await readStored(group, Math.min(4 * STORED_MS, deadline - startedAt));
      if (isIncomplete(group) || Date.now() - startedAt > STORED_MS) missing += 1;
    }
  };
  await Promise.all(Array.from({ length: READS_AT_ONCE }, work));
  if (unloaded().length > 0) await queryAll(unloaded(), deadline);
  // The answer also lacks some groups that the account is in.
  for (const group of unloaded().slice(0, MAX_QUERIED))
    if (await isOutside(group, deadline - Date.now()).catch(() => false)) left.add(String(group.id));
}

/** A group that the account is a member of: the page also lists groups that it has left. */
export async function ownGroup(id: string, timeoutMs: number): Promise<OwnGroup | undefined> {
  const group = window.require('WAWebCollections').Chat.get(id);
  if (!group) return undefined;
  let members: PageParticipant[] | undefined;
  const deadline = Date.now() + timeoutMs;
  try {
    members = await membersOf(group, timeoutMs);
    if (members) left.delete(id);
    else if (await isOutside(group, deadline - Date.now())) return undefined;
  } catch (error) {
    const refused = networkCode(error);
    if (refused === 403 || refused === 404) return undefined;
    // Rate limited or failed: the members are unknown.
  }
  const self = members?.find((member) => isMe(member.id));
  if (members && !self) return undefined;
  return { group, members, isAdmin: self && (self.isAdmin === true || self.isSuperAdmin === true) };
}

/** Queries a group, and waits until the page shows what is expected; false if it does not in time. */
export async function refreshGroup(group: PageChat, isExpected: () => boolean, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  await resultWithin(query(group), timeoutMs);
  return holds(isExpected, deadline - Date.now());
}

const OPEN_MS = 5_000;

/** Makes the page open a new group, as its own buttons do. Never rejects; waits a few seconds at most. */
export async function openGroup(id: PageId, reason: string, options?: object): Promise<void> {
  const opening = async () => optional('WAWebFindChatAction')?.findOrCreateLatestChat?.(id, reason, options);
  await resultWithin(opening(), OPEN_MS);
}

/** The settings of a group, from the page's memory. */
export function groupSettings({ groupMetadata: known }: PageChat): GroupSettings {
  const who = (isForAdmins: unknown) => (isForAdmins ? 'admins' : 'everyone');
  const { announce, restrict, memberAddMode, membershipApprovalMode } = known ?? {};
  return {
    ...(announce === undefined ? {} : { sendMessages: who(announce) }),
    ...(restrict === undefined ? {} : { editInfo: who(restrict) }),
    ...(memberAddMode === undefined ? {} : { addParticipants: who(memberAddMode === 'admin_add') }),
    ...(membershipApprovalMode === undefined ? {} : { approveJoins: Boolean(membershipApprovalMode) }),
  };
}

/** Queries the pending requests to join a group. */
export async function joinRequests(group: PageId): Promise<readonly JoinRequestRow[]> {
  const queries = window.require('WAWebGroupGetMembershipApprovalRequestsJob');
  await queries.queryAndUpdateGroupMembershipApprovalRequests(group);
  return window.require('WAWebApiMembershipApprovalRequestStore').getMembershipApprovalRequests(group);
}

/** How long a change of a group waits for the ids of people. */
const PEOPLE_TIMEOUT_MS = 10_000;

async function queryIds(numbers: readonly string[]): Promise<Map<string, readonly string[]>> {
  if (optional('WAWebUsync')?.USyncQuery && optional('WAWebUsyncUser')?.USyncUser) {
    const found = await queryNumbers(numbers);
    return new Map([...found].map(([number, { isRegistered, ids }]) => [number, isRegistered ? ids : []]));
  }
  const ids = new Map<string, readonly string[]>();
  for (const number of numbers) {
    const { lid, phone } = await retrieveIds(number);
    ids.set(
      number,
      [lid, phone].flatMap((id) => (id ? [String(id)] : [])),
    );
  }
  return ids;
}

function inMemory(person: string) {
  return idsOf(window.require('WAWebWidFactory').createWid(person) as PageId);
}

/**
 * All ids of people, in order; empty if not registered. Queries, in one request, the people that the page does not
 * know by both ids; `unknown`: the network did not answer, or not in time.
 */
export async function idsOfPeople(people: readonly string[]): Promise<(readonly string[] | 'unknown')[]> {
  const known = people.map(inMemory);
  const unknown = [...new Set(people.filter((person, n) => !person.endsWith('@lid') && (known[n] ?? []).length < 2))];
  const queried = unknown.length > 0 ? queryIds(unknown).catch(() => undefined) : undefined;
  const answer = await within(queried, PEOPLE_TIMEOUT_MS);
  return people.map((person, n) => {
    if (!unknown.includes(person)) return known[n] ?? [];
    const ids = answer?.get(person);
    return ids && ids.length > 0 ? [person, ...ids] : (ids ?? 'unknown');
  });
}

/** Finds people among others by any of their ids, in order; queries those not found in memory, as above. */
export async function findPeople<T extends { readonly id: PageId }>(
  people: readonly string[],
  among: readonly T[],
): Promise<(T | 'unknown' | undefined)[]> {
  const byId = new Map(among.flatMap((one) => idsOf(one.id).map((id) => [id, one] as const)));
  const find = (ids: readonly string[]) => ids.flatMap((id) => byId.get(id) ?? [])[0];
  const found = new Map(people.map((person) => [person, find(inMemory(person))] as const));
  const missing = [...found].flatMap(([person, one]) => (one ? [] : [person]));
  const ids = missing.length > 0 ? await idsOfPeople(missing) : [];
  const queried = new Map(missing.map((person, n) => [person, ids[n] ?? []] as const));
  return people.map((person) => {
    const other = queried.get(person) ?? [];
    return found.get(person) ?? (other === 'unknown' ? other : find(other));
  });
}

/**
 * Calls `act` with the people who are among others. Returns a code for each person, in order: 404 if not among them,
 * 503 if the look-up failed, 504 if `act` returns no code.
 */
export async function codesFor(
  people: readonly string[],
  among: readonly { readonly id: PageId }[],
  act: (ids: readonly PageId[]) => Promise<readonly PersonCode[]>,
): Promise<number[]> {
  const found = await findPeople(people, among);
  const ids = [...new Set(found.flatMap((one) => (typeof one === 'object' ? [one.id] : [])))];
  const codes = new Map<string, number>();
  for (const { id, code } of ids.length > 0 ? await act(ids) : [])
    for (const each of id ? idsOf(id) : []) codes.set(each, code);
  return found.map((one) => {
    if (typeof one !== 'object') return one === 'unknown' ? 503 : 404;
    return idsOf(one.id).flatMap((each) => codes.get(each) ?? [])[0] ?? 504;
  });
}

/** The refusal of a group that the account is not in. */
export function noGroup(): Refusal {
  return new Refusal('chat_not_found', 'the account is not in that group');
}

/** A group that the account is a member of, as `ownGroup`; refuses the call without one. */
export async function requireGroup(id: string, timeoutMs: number): Promise<OwnGroup> {
  const own = await ownGroup(id, timeoutMs);
  if (own) return own;
  throw noGroup();
}

/** The same for a group that the account is an admin of, or may be. */
export async function requireAdmin(id: string, timeoutMs: number): Promise<OwnGroup> {
  const own = await requireGroup(id, timeoutMs);
  if (own.isAdmin === false) throw notAdmin();
  return own;
}

/** The refusal of a change that only admins of the group may make. */
export function notAdmin(): Refusal {
  return new Refusal('not_permitted', 'the account is not an admin of that group');
}

/** Runs a change of a group: the network's codes mean that the group is gone, or that the account is no admin. */
export async function changingGroup<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    const code = networkCode(error);
    if (code === 404) throw noGroup();
    throw code === 401 || code === 403 ? notAdmin() : error;
  }
}

/** The codes of invitations, for people who can only be invited, in the order of the request. */
export type InviteCodes = readonly (string | undefined)[];

/** The network's result for each person, in the order of the request. */
export interface Additions {
  readonly codes: number[];
  readonly inviteCodes: InviteCodes;
}

/** The result of a person, by any of the ids. */
export interface Addition {
  readonly code: number;
  readonly inviteCode?: string | undefined;
}

/** The codes from the answer to a change of members. */
export function memberCodes(answer: MemberCodes): PersonCode[] {
  return (answer?.participants ?? []).map(({ userWid: id, code }) => ({ id, code: Number(code) || 504 }));
}

/** The community of a group, and what the group is in it; undefined for any other chat. */
export function communityOf(chat: PageChat | undefined): MessageModel['community'] {
  const { isParentGroup, parentGroup, defaultSubgroup, isCag } = chat?.groupMetadata ?? {};
  if (isParentGroup === true) return { id: String(chat?.id), role: 'parent' };
  if (!parentGroup) return undefined;
  return { id: String(parentGroup), role: defaultSubgroup || isCag ? 'announcements' : 'group' };
}
