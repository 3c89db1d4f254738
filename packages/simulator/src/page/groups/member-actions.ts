import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { createWid, type Wid } from '../wid.ts';
import type { WireMemberAction } from '../wire.ts';

/** The actions on the members of a group. */
export function memberActions(page: Page): Modules {
  return {
    WAWebGroupModifyParticipantsJob: {
      addGroupParticipants: add(page),
      removeGroupParticipants: rank(page, 'remove'),
      promoteGroupParticipants: rank(page, 'promote'),
      demoteGroupParticipants: rank(page, 'demote'),
    },
  };
}

/** Sends a request, and returns a result for each, with its code as text. */
function rank({ connection }: Page, action: WireMemberAction) {
  return async (group: Wid, people: readonly Wid[]): Promise<object> => {
    const codes = await connection.request('change-members', { id: String(group), who: people.map(String), action });
    return { status: 207, participants: people.map((userWid, index) => ({ userWid, code: String(codes[index]) })) };
  };
}

/** A person to add, by hidden id if that is given. */
interface Added {
  readonly phoneNumber: Wid;
  readonly lid?: Wid;
}

/** Sends one request for all. A person who is not registered is not among the participants. */
function add({ connection }: Page) {
  return async (group: Wid, people: readonly Added[]): Promise<object> => {
    const who = people.map(({ lid, phoneNumber }) => String(lid ?? phoneNumber));
    const results = await connection.request('add-to-group', { id: String(group), who });
    const participants = results.flatMap(({ id, code, invite }) => {
      if (code === 404) return [];
      const expiration = invite && String(invite.expiration);
      return [{ userWid: createWid(id), code: String(code), invite_code: invite?.code, invite_code_exp: expiration }];
    });
    const invitedOutContacts = results.flatMap(({ id, code }) =>
      code === 404 ? [{ phoneNumberWid: createWid(id), code: '200' }] : [],
    );
    return { status: 207, participants, invitedOutContacts };
  };
}
