import { resultWithin, within } from './delay.ts';
import type { PageChat, PageId } from './models.ts';
import { limitSeconds, Refusal, refusedByNetwork, unreported } from './refusal.ts';
import {
  type Addition,
  type Additions,
  changingGroup,
  codesFor,
  communityOf,
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
import { isMe, ownIds } from './tools/identities.ts';

/** How long leaving a group that nobody joined may take. */
const LEAVE_MS = 10_000;

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
      community: communityOf(chat),
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
): Promise<Additions> {
  const { group, isAdmin } = await requireGroup(groupId, membersMs);
  const { participants: members, isLidAddressingMode: isByLid, memberAddMode } = group.groupMetadata ?? {};
  if (isAdmin === false && memberAddMode === 'admin_add') throw notAdmin();
  const invited = (await lookUpPeople(people)).map((one) =>
    one.ids.some((id) => members?.get(id)) ? { ...one, code: 409 } : one,
  );
  const wanted = invited.filter(({ code }) => code === undefined);
  const { addGroupParticipants: add } = window.require('WAWebGroupModifyParticipantsJob');
  const request = wanted.map(({ person, ids }) => newMember([person, ...ids], isByLid === true));
  const adding = () => (wanted.length > 0 ? within(add(group.id, request), timeoutMs) : Promise.resolve(undefined));
  const answer = await changingGroup(adding);
  const answered = new Map<string, Addition>();
  for (const { userWid, code, invite_code: invite } of answer?.participants ?? [])
    answered.set(String(userWid), { code: Number(code), inviteCode: invite ?? undefined });
  // An invitation to join the network is not a success.
  for (const { phoneNumberWid: id } of answer?.invitedOutContacts ?? []) answered.set(String(id), { code: 404 });
  return additions(people, invited, answered);
}

/** A person to add: the ids, and the code if the network is not asked. */
interface Invited {
  readonly person: string;
  readonly ids: readonly string[];
  readonly code?: number;
}

/** Looks people up, each once. */
async function lookUpPeople(people: readonly string[]): Promise<Invited[]> {
  const each = [...new Set(people)];
  const found = await idsOfPeople(each);
  return each.map((person, n) => {
    const ids = found[n] ?? [];
    if (ids === 'unknown') return { person, ids: [], code: 503 };
    return ids.length === 0 ? { person, ids, code: 404 } : { person, ids };
  });
}

/** The result for each person; `answered`: what the network answered, by any id of a person. */
function additions(
  people: readonly string[],
  invited: readonly Invited[],
  answered: ReadonlyMap<string, Addition>,
): Additions {
  const results = new Map<string, Addition>();
  for (const { person, ids, code } of invited) {
    const [answer] = [person, ...ids].flatMap((id) => answered.get(id) ?? []);
    results.set(person, code === undefined ? { ...answer, code: answer?.code || 504 } : { code });
  }
  return {
    codes: people.map((person) => results.get(person)?.code ?? 504),
    inviteCodes: people.map((person) => results.get(person)?.inviteCode),
  };
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

/**
 * A person to add, by hidden id if that is known, and wanted or the only id: the page looks for the person's privacy
 * token by the id it gets.
 */
function newMember(ids: readonly string[], isByLid: boolean) {
  const { createWid } = window.require('WAWebWidFactory');
  const [lid, phone] = ['@lid', '@c.us'].map((server) => ids.find((id) => id.endsWith(server)));
  return {
    phoneNumber: phone === undefined ? undefined : createWid(phone),
    ...(lid && (isByLid || !phone) ? { lid: createWid(lid) } : {}),
  };
}

/**
 * Creates a group. Returns its id, and the network's result for each person, as `addParticipants` does. If it adds
 * nobody, the group is left again and the call refused, unless the caller wants the results.
 */
export async function createGroup(
  subject: string,
  people: string[],
  wantsResults: boolean,
): Promise<{ readonly id: string } & Additions> {
  // People with an unknown look-up result are included: the network decides.
  const invited = (await lookUpPeople(people)).map(({ person, ids, code }) =>
    code === 404 ? { person, ids, code } : { person, ids },
  );
  const registered = invited.filter(({ code }) => code === undefined);
  if (registered.length === 0) throw unregistered();
  const job = window.require('WAWebGroupCreateJob');
  const options = {
    addressingModeOverride: 'lid',
    memberAddMode: true,
    membershipApprovalMode: false,
    // What all members may do: if false, only admins write or edit.
    announce: true,
    restrict: true,
    ephemeralDuration: ownMessageTimer(),
    title: subject,
  };
  const request = registered.map(({ person, ids }) => newMember([person, ...ids], true));
  const created = await job.createGroup(options, request).catch((error: unknown) => {
    const Exists = job.GroupAlreadyExistsError;
    if (Exists && error instanceof Exists)
      throw new Refusal('client_failed', 'the network has such a group already; nothing was created');
    throw error;
  });
  await openGroup(created.wid, 'createGroupAction');
  const answered = new Map<string, Addition>();
  for (const { wid, error, invite_code: invite } of created.participants ?? [])
    answered.set(String(wid), { code: error == null ? 200 : Number(error), inviteCode: invite ?? undefined });
  const group = { id: String(created.wid), ...additions(people, invited, answered) };
  if (!wantsResults && group.codes.every((code) => code !== 200 && code !== 504)) await abandon(group);
  return group;
}

function unregistered() {
  return new Refusal('recipient_not_found', 'none of the participants is registered on the network');
}

/** The default timer of the account for messages in new chats, in seconds; 0 for none. */
function ownMessageTimer(): number {
  const { Contact } = window.require('WAWebCollections');
  const timers = ownIds().map((id) => Contact.get(id)?.disappearingModeDuration);
  return timers.find((seconds) => typeof seconds === 'number') ?? 0;
}

/** Leaves a group that nobody joined, and refuses the call by the codes. */
async function abandon({ id, codes }: { readonly id: string } & Additions): Promise<never> {
  const chat = window.require('WAWebCollections').Chat.get(id);
  const leaving = async () => chat && window.require('WAWebExitGroupAction').sendExitGroup(chat);
  const isLeft = await resultWithin(leaving(), LEAVE_MS);
  const why = `the network added none of the participants (code ${[...new Set(codes)].join(', ')})`;
  // Another attempt would create another group.
  if (!isLeft) throw new Refusal('outcome_unknown', `${why}; the account is alone in ${id}: leave it`);
  if (codes.every((code) => code === 404)) throw unregistered();
  const limit = codes.find((code) => limitSeconds(code) !== undefined);
  const { code, retryAfterSeconds } = refusedByNetwork(limit ?? 403);
  throw new Refusal(code, `${why}; the group was left again`, { retryAfterSeconds });
}
