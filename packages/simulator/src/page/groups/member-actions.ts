import type { Chat } from '../models/chat.ts';
import type { Participant } from '../models/participants.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { ActionError } from '../server-status-code-error.ts';
import { createWid, type Wid } from '../wid.ts';

/** What can be done with the members of a group: by the page's own rules first, or straight by the network's. */
export function memberActions(page: Page): Modules {
  return {
    WAWebModifyParticipantsGroupAction: {
      removeParticipants: remove(page),
    },
    WAWebGroupModifyParticipantsJob: {
      addGroupParticipants: add(page),
      promoteGroupParticipants: rank(page, 'promote'),
      demoteGroupParticipants: rank(page, 'demote'),
    },
  };
}

/** Refuses before it asks the network, if any one of them may not be removed; does not return a result for each. */
function remove({ connection }: Page) {
  return async (chat: Chat, people: readonly Participant[]): Promise<void> => {
    const members = chat.groupMetadata?.get('participants');
    if (!members || !people.every((each) => members.canRemove(each))) throw new ActionError();
    if (people.length === 0) {
      throw new Error('expected at least 1 children, but found 0');
    }
    const who = people.map((participant) => String(participant.get('id')));
    await connection.request('change-members', { id: String(chat.get('id')), who, action: 'remove' });
  };
}

/** Asks the network, and returns a result for each, with its code as text. */
function rank({ connection }: Page, action: 'promote' | 'demote') {
  return async (group: Wid, people: readonly Wid[]): Promise<object> => {
    const codes = await connection.request('change-members', { id: String(group), who: people.map(String), action });
    return { status: 207, participants: people.map((userWid, index) => ({ userWid, code: String(codes[index]) })) };
  };
}

/** Somebody to add, by hidden id if that is given. */
interface Added {
  readonly phoneNumber: Wid;
  readonly lid?: Wid;
}

/** Asks the network for all at once. Who is not registered is not among the participants. */
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
