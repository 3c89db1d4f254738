import { contacts } from '../models/contact.ts';
import type { Page } from '../page.ts';
import { switches } from '../switches.ts';
import { createWid, type Wid } from '../wid.ts';

/** What a script creates a group from. */
interface NewGroup {
  readonly title: string;
  readonly addressingModeOverride?: 'pn' | 'lid';
  readonly announce?: boolean;
  readonly restrict?: boolean;
  readonly memberAddMode?: boolean;
}

/** A person to add, by LID if there is one. */
interface Invited {
  readonly phoneNumber: Wid;
  readonly lid?: Wid;
}

/** Creates a group. In the real page `announce` and `restrict` mean the opposite of their names. */
export function createGroup({ connection }: Page) {
  return async (group: NewGroup, people: readonly Invited[]) => {
    const { title, addressingModeOverride = 'pn', announce = false, restrict = false, memberAddMode } = group;
    const isInverted = switches.groupFlags === 'inverted';
    const made = await connection.request('create-group', {
      subject: title,
      participants: people.map(({ lid, phoneNumber }) => (lid ?? phoneNumber).toString()),
      addressing: addressingModeOverride,
      announce: announce !== isInverted,
      restrict: restrict !== isInverted,
      adminsAdd: isInverted ? memberAddMode === false : (memberAddMode ?? false),
    });
    const participants = made.participants.map(({ id, code, invite }, index) => ({
      wid: createWid(id),
      type: index === 0 ? 'superadmin' : 'participant',
      error: code === 200 ? undefined : code,
      invite_code: invite?.code,
      invite_code_exp: invite && String(invite.expiration),
    }));
    for (const { wid } of participants)
      if (!contacts.get(wid)) await connection.request('exists', { jid: String(wid) });
    return { wid: createWid(made.group.id), subject: made.group.subject, participants };
  };
}
