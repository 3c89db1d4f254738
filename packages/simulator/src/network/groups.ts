import { SimulatorError } from '../errors.ts';
import type { WireDescription, WireGroupChange, WireMemberAction, WireNotice } from '../page/wire.ts';
import { notifyDevices } from './account.ts';
import type { Directory } from './directory.ts';
import { groupView, isAdmin } from './group.ts';
import { createMessageId } from './message.ts';
import type { MessageDelivery } from './message-delivery.ts';
import { type AccountRecord, createInviteCode, GroupRecord, Message, type NewGroup } from './records.ts';

const MAX_SUBJECT_LENGTH = 100;

/** The result of adding a person: added, invite only, left recently, or a member already. */
export type AddOutcome = 200 | 403 | 408 | 409;

/** The groups, and what members do in them. Refuses with 403 without the rights. */
export class Groups {
  readonly #groups = new Map<string, GroupRecord>();
  readonly #directory: Directory;
  readonly #delivery: MessageDelivery;

  constructor(directory: Directory, delivery: MessageDelivery) {
    this.#directory = directory;
    this.#delivery = delivery;
  }

  find(id: string): GroupRecord | undefined {
    return this.#groups.get(id);
  }

  /** A group of which the account is or was a member. */
  get(id: string, account: AccountRecord): GroupRecord {
    const group = this.#groups.get(id);
    if (group && (group.members.has(account) || group.gone.has(account))) return group;
    throw new SimulatorError(404, `group: ${account.number} knows no group ${id}`);
  }

  of(account: AccountRecord): GroupRecord[] {
    return [...this.#groups.values()].filter(({ members, gone }) => members.has(account) || gone.has(account));
  }

  /** A group with its creator only; members are notified by `announce`. */
  create(creator: AccountRecord, draft: NewGroup): GroupRecord {
    checkSubject(draft.subject);
    if (draft.id && this.#groups.has(draft.id))
      throw new SimulatorError(409, `id: there is a group ${draft.id} already`);
    const group = new GroupRecord(creator, draft);
    this.#groups.set(group.id, group);
    return group;
  }

  /** Adds the people who can be added, and notifies all members of the new group. */
  announce(group: GroupRecord, people: readonly AccountRecord[]): Map<AccountRecord, AddOutcome> {
    const outcomes = new Map(people.map((person) => [person, enter(group, person)]));
    this.#publish(group, group.creator, 'create', [...group.members.keys()]);
    return outcomes;
  }

  add(group: GroupRecord, by: AccountRecord, person: AccountRecord): AddOutcome {
    this.#require(group, by, group.adminsAdd);
    const outcome = enter(group, person);
    if (outcome === 200) this.#publish(group, by, 'add', [person]);
    return outcome;
  }

  /** Removes, promotes or demotes; a result for each: 200, 406 for the creator, 404 for one who is not a member. */
  change(
    group: GroupRecord,
    by: AccountRecord,
    people: readonly (AccountRecord | undefined)[],
    action: WireMemberAction,
  ): number[] {
    this.#require(group, by, true);
    const codeOf = (person: AccountRecord | undefined) => {
      if (!person || !group.members.has(person)) return 404;
      return person === group.creator ? 406 : 200;
    };
    const codes = people.map(codeOf);
    const members = people.filter((person): person is AccountRecord => codeOf(person) === 200);
    if (members.length === 0) return codes;
    for (const member of members) {
      if (action !== 'remove') group.members.set(member, action === 'promote' ? 'admin' : 'member');
      else expel(group, member, false);
    }
    this.#publish(group, by, action, members);
    return codes;
  }

  leave(group: GroupRecord, account: AccountRecord): void {
    this.#require(group, account, false);
    expel(group, account, true);
    // A group keeps at least one admin.
    const [heir] = group.members.keys();
    if (heir && ![...group.members.keys()].some((member) => isAdmin(group, member))) group.members.set(heir, 'admin');
    this.#publish(group, account, 'leave', [account]);
  }

  set(group: GroupRecord, by: AccountRecord, change: WireGroupChange): void {
    const isInfo = 'subject' in change || 'description' in change;
    if (!isInfo && group.ignoresSettings) return;
    this.#require(group, by, isInfo ? group.restrict : true);
    if ('subject' in change) checkSubject(change.subject);
    if ('description' in change) describe(group, change.description);
    else Object.assign(group, change);
    this.#publish(group, by, noticeOf(change), [], 'subject' in change ? change.subject : '');
  }

  /** The group that an invite is for. Refuses with 404 an unknown code, with 410 one that was renewed. */
  invitedTo(code: string): GroupRecord {
    const all = [...this.#groups.values()];
    const group = all.find(({ inviteCode }) => inviteCode === code);
    if (group) return group;
    const isRevoked = all.some(({ revokedCodes }) => revokedCodes.has(code));
    throw new SimulatorError(isRevoked ? 410 : 404, `code: ${code} ${isRevoked ? 'was revoked' : 'is no invite'}`);
  }

  /** Adds an account by an invite, or makes it wait for an admin. */
  join(code: string, account: AccountRecord): { readonly group: GroupRecord; readonly waits: boolean } {
    const group = this.invitedTo(code);
    if (group.members.has(account)) throw new SimulatorError(409, `code: ${account.number} is in ${group.id} already`);
    if (group.approveJoins) group.requests.set(account, Math.floor(Date.now() / 1000));
    else this.#admit(group, account, [account], 'invite');
    return { group, waits: group.approveJoins };
  }

  /** Approves or rejects people who wait; a result for each: 200, or 404 for one who does not wait. */
  answerRequests(
    group: GroupRecord,
    by: AccountRecord,
    people: readonly (AccountRecord | undefined)[],
    isApproval: boolean,
  ): number[] {
    this.#require(group, by, true);
    const codes = people.map((person) => (person && group.requests.has(person) ? 200 : 404));
    const waiting = people.filter((_, index) => codes[index] === 200) as AccountRecord[];
    for (const person of waiting) group.requests.delete(person);
    if (isApproval && waiting.length > 0) this.#admit(group, by, waiting, 'add');
    return codes;
  }

  /** The people who wait for approval; for admins. */
  requests(group: GroupRecord, by: AccountRecord): ReadonlyMap<AccountRecord, number> {
    this.#require(group, by, true);
    return group.requests;
  }

  renewInvite(group: GroupRecord, by: AccountRecord): string {
    this.#require(group, by, true);
    group.revokedCodes.add(group.inviteCode);
    group.inviteCode = createInviteCode();
    return group.inviteCode;
  }

  /** Sets the picture, a JPEG; removes it if none is given. */
  setPicture(group: GroupRecord, by: AccountRecord, picture: Buffer | undefined): void {
    this.#require(group, by, group.restrict);
    if (picture && picture.readUInt16BE(0) !== 0xffd8) throw new SimulatorError(406, 'picture: must be a JPEG');
    group.picture = picture;
    this.#publish(group, by, 'picture', []);
  }

  #admit(group: GroupRecord, by: AccountRecord, people: AccountRecord[], subtype: 'invite' | 'add'): void {
    for (const person of people) admit(group, person);
    this.#publish(group, by, subtype, people);
  }

  /** Refuses an account that is not a member, or not an admin where that is required. */
  #require(group: GroupRecord, account: AccountRecord, admin: boolean): void {
    if (!group.members.has(account)) {
      throw new SimulatorError(404, `group: ${account.number} is not in ${group.id}`);
    }
    if (admin && !isAdmin(group, account)) {
      throw new SimulatorError(403, `group: ${account.number} is not an admin of ${group.id}`);
    }
  }

  /** Sends members and affected people the current state of the group, and a notice. */
  #publish(
    group: GroupRecord,
    by: AccountRecord,
    subtype: WireNotice['subtype'],
    recipients: AccountRecord[],
    body = '',
  ): void {
    const audience = new Set([...group.members.keys(), ...recipients]);
    for (const account of audience) this.sendState(group, account);
    const notice = { subtype, recipients };
    const message = new Message({ id: createMessageId(by), from: by, to: group, type: 'gp2', body, notice });
    audience.delete(by);
    this.#delivery.accept(message, undefined, [...audience]);
  }

  sendState(group: GroupRecord, account: AccountRecord): void {
    const users = [...group.members.keys()].map((member) => this.#directory.describeMember(member, account));
    notifyDevices(account, { type: 'group', group: groupView(group, account), users });
  }
}

function enter(group: GroupRecord, person: AccountRecord): AddOutcome {
  if (group.members.has(person)) return 409;
  if (group.gone.get(person)) return 408;
  if (person.groupPrivacy === 'invite_only') return 403;
  admit(group, person);
  return 200;
}

function admit(group: GroupRecord, person: AccountRecord): void {
  group.gone.delete(person);
  group.requests.delete(person);
  group.members.set(person, 'member');
}

function expel(group: GroupRecord, account: AccountRecord, byThemselves: boolean): void {
  group.members.delete(account);
  group.gone.set(account, byThemselves);
}

/** Refuses with 409 a change of a description that is not the last. */
function describe(group: GroupRecord, { id, text, previous }: WireDescription): void {
  if (previous !== group.description?.id) throw new SimulatorError(409, 'description: it has changed meanwhile');
  group.description = text === '' ? undefined : { id, text };
}

function noticeOf(change: WireGroupChange): WireNotice['subtype'] {
  if ('subject' in change) return 'subject';
  if ('description' in change) return 'description';
  if ('announce' in change) return 'announce';
  if ('approveJoins' in change) return 'membership_approval_mode';
  return 'restrict' in change ? 'restrict' : 'member_add_mode';
}

function checkSubject(subject: string): void {
  if (subject.trim() === '' || [...subject].length > MAX_SUBJECT_LENGTH) {
    throw new SimulatorError(400, `subject: must have 1 to ${MAX_SUBJECT_LENGTH} characters`);
  }
}
