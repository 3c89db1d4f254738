import type { Chat } from '../models/chat.ts';
import type { Participant } from '../models/participants.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { ActionError } from '../server-status-code-error.ts';
import type { Wid } from '../wid.ts';

/** What can be done with the members of a group: by the page's own rules first, or straight by the network's. */
export function memberActions(page: Page): Modules {
  return {
    WAWebModifyParticipantsGroupAction: {
      removeParticipants: remove(page),
    },
    WAWebGroupModifyParticipantsJob: {
      promoteGroupParticipants: rank(page, 'promote'),
      demoteGroupParticipants: rank(page, 'demote'),
    },
    WASmaxGroupsAddParticipantsRPC: {
      sendAddParticipantsRPC: ({ iqTo, participantArgs }: AddParticipants) => add(page, iqTo, participantArgs),
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

interface AddParticipants {
  readonly iqTo: string;
  readonly participantArgs: readonly { readonly participantJid: string }[];
}

/** The answer has the shape of the real one, which the library takes apart. */
async function add({ connection }: Page, group: string, [person]: AddParticipants['participantArgs']) {
  const who = person?.participantJid ?? '';
  const { code, invite } = await connection.request('add-to-group', { id: group, who });
  const mixin = {
    name: invite ? 'ParticipantRequestCodeCanBeSent' : 'ParticipantError',
    value: { error: String(code), addRequestCode: invite?.code, addRequestExpiration: invite?.expiration },
  };
  const value = code === 200 ? {} : { addParticipantsParticipantMixins: mixin };
  const result = {
    addParticipantsParticipantAddedOrNonRegisteredWaUserParticipantErrorLidResponseMixinGroup: { value },
  };
  return { name: 'AddParticipantsResponseSuccess', value: { addParticipant: [result] } };
}
