import type { Group } from '../api.ts';
import type { GroupDraft, GroupUpdate } from '../control/inputs.ts';
import { describeGroup } from './group.ts';
import type { Network } from './network.ts';
import { Phone } from './phone.ts';
import type { AccountRecord } from './records.ts';

/** The group functions of an account's phone. */
export class GroupPhone {
  readonly #network: Network;
  readonly #account: AccountRecord;

  constructor(network: Network, number: string) {
    this.#network = network;
    this.#account = new Phone(network, number).account;
  }

  /** People who cannot be added are left out. */
  create({ id, subject, participants }: GroupDraft): Group {
    const people = this.#people(participants, 'participants').filter((person) => person !== this.#account);
    const addressing = this.#account.addressing;
    const group = this.#network.groups.found(this.#account, { id, subject, addressing, restrict: true });
    this.#network.groups.announce(group, people);
    return describeGroup(group);
  }

  list(): Group[] {
    const groups = this.#network.groups.of(this.#account).filter(({ members }) => members.has(this.#account));
    return groups.map(describeGroup);
  }

  update(id: string, { subject, add = [], remove, promote, demote, leave }: GroupUpdate): Group {
    const { groups } = this.#network;
    const group = groups.get(id, this.#account);
    if (subject !== undefined) groups.set(group, this.#account, { subject });
    for (const person of this.#people(add, 'add')) groups.add(group, this.#account, person);
    for (const [action, ids] of Object.entries({ remove, promote, demote })) {
      if (ids) groups.change(group, this.#account, this.#people(ids, action), action as 'remove');
    }
    if (leave) groups.leave(group, this.#account);
    return describeGroup(group);
  }

  #people(ids: readonly string[], field: string): AccountRecord[] {
    return ids.map((id) => this.#network.directory.get(id, field));
  }
}
