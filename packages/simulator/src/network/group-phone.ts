import type { Group } from '../api.ts';
import type { GroupDraft, GroupUpdate } from '../control/inputs.ts';
import type { WireGroupChange } from '../page/wire.ts';
import { describeGroup } from './group.ts';
import { createMessageId } from './message.ts';
import type { Network } from './network.ts';
import { Phone } from './phone.ts';
import type { AccountRecord, GroupRecord } from './records.ts';

/** The group functions of an account's phone. */
export class GroupPhone {
  readonly #network: Network;
  readonly #account: AccountRecord;

  constructor(network: Network, number: string) {
    this.#network = network;
    this.#account = new Phone(network, number).account;
  }

  /** People who cannot be added are left out. */
  create({ id, subject, participants, inviteCode, ignoresSettings = false }: GroupDraft): Group {
    const people = this.#people(participants, 'participants').filter((person) => person !== this.#account);
    const addressing = this.#account.addressing;
    const group = this.#network.groups.create(this.#account, {
      ...{ id, subject, addressing, inviteCode, restrict: true },
    });
    group.ignoresSettings = ignoresSettings;
    this.#network.groups.announce(group, people);
    return describeGroup(group);
  }

  list(): Group[] {
    const groups = this.#network.groups.of(this.#account).filter(({ members }) => members.has(this.#account));
    return groups.map(describeGroup);
  }

  /** Joins by an invite, or waits for an admin to approve it. */
  join(code: string): { groupId: string; waits: boolean } {
    const { group, waits } = this.#network.groups.join(code, this.#account);
    return { groupId: group.id, waits };
  }

  update(id: string, update: GroupUpdate): Group {
    const { subject, description, settings = {}, add = [], remove, promote, demote, leave } = update;
    const { approve, reject, renewInvite, picture } = update;
    const { groups } = this.#network;
    const group = groups.get(id, this.#account);
    if (subject !== undefined) groups.set(group, this.#account, { subject });
    if (description !== undefined) this.#describe(group, description);
    for (const [setting, value] of Object.entries(settings))
      groups.set(group, this.#account, { [setting]: value } as unknown as WireGroupChange);
    for (const person of this.#people(add, 'add')) groups.add(group, this.#account, person);
    for (const [action, ids] of Object.entries({ remove, promote, demote })) {
      if (ids) groups.change(group, this.#account, this.#people(ids, action), action as 'remove');
    }
    if (approve) groups.answerRequests(group, this.#account, this.#people(approve, 'approve'), true);
    if (reject) groups.answerRequests(group, this.#account, this.#people(reject, 'reject'), false);
    if (renewInvite) groups.renewInvite(group, this.#account);
    if (picture !== undefined)
      groups.setPicture(group, this.#account, picture === null ? undefined : Buffer.from(picture, 'base64'));
    if (leave) groups.leave(group, this.#account);
    return describeGroup(group);
  }

  #describe(group: GroupRecord, text: string): void {
    const description = { id: createMessageId(this.#account), text, previous: group.description?.id };
    this.#network.groups.set(group, this.#account, { description });
  }

  #people(ids: readonly string[], field: string): AccountRecord[] {
    return ids.map((id) => this.#network.directory.get(id, field));
  }
}
