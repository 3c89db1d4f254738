import { Collection } from '../collection.ts';
import { Model } from '../model.ts';
import type { Wid } from '../wid.ts';
import { createWid } from '../wid.ts';
import type { WireGroup } from '../wire.ts';
import { conn } from './conn.ts';

interface ParticipantAttributes {
  id: Wid;
  isAdmin: boolean;
  isSuperAdmin: boolean;
}

/** A member of a group. */
export class Participant extends Model<ParticipantAttributes> {
  static override readonly props = ['id', 'isAdmin', 'isSuperAdmin'];
}

/** The members of a group, and what the account may do to them. */
export class ParticipantCollection extends Collection<Participant> {
  constructor() {
    super(Participant);
  }

  /** Replaces them by those of the group on the network. */
  become(members: WireGroup['participants']): void {
    const ids = new Set(members.map(({ id }) => id));
    for (const member of this.getModelsArray()) if (!ids.has(String(member.get('id')))) this.remove(member);
    for (const { id, rank } of members) {
      const rights = { isAdmin: rank !== 'member', isSuperAdmin: rank === 'superadmin' };
      const present = this.get(id);
      if (present) present.set(rights);
      else this.add(new Participant({ id: createWid(id), ...rights }));
    }
  }

  getMeParticipant(): Participant | undefined {
    return this.get(conn.get('lid')) ?? this.get(conn.get('wid'));
  }

  iAmAdmin(): boolean {
    return this.getMeParticipant()?.get('isAdmin') === true;
  }

  canRemove(participant: Participant | undefined): boolean {
    return participant !== undefined && participant !== this.getMeParticipant() && this.iAmAdmin();
  }
}
