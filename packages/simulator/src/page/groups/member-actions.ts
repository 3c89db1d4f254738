import type { Chat } from '../models/chat.ts';
import type { Participant, ParticipantCollection } from '../models/participants.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { ActionError } from '../server-status-code-error.ts';
import type { Wid } from '../wid.ts';
import type { WireMemberAction } from '../wire.ts';

interface Added {
  readonly phoneNumber: Wid;
  readonly lid?: Wid;
}

/** What can be done with the members of a group: by the page's own rules first, or straight by the network's. */
export function memberActions(page: Page): Modules {
  return {
    WAWebModifyParticipantsGroupAction: {
      removeParticipants: act(page, 'remove', (members, member) => members.canRemove(member)),
      promoteParticipants: act(page, 'promote', (members, member) => members.canPromote(member)),
      demoteParticipants: act(page, 'demote', (members, member) => members.canDemote(member)),
    },
    WAWebGroupModifyParticipantsJob: {
      addGroupParticipants: async (group: Wid, people: readonly Added[]) => addAll(page, group, people),
      removeGroupParticipants: (group: Wid, people: readonly Wid[]) => changeAll(page, group, people, 'remove'),
      promoteGroupParticipants: (group: Wid, people: readonly Wid[]) => changeAll(page, group, people, 'promote'),
      demoteGroupParticipants: (group: Wid, people: readonly Wid[]) => changeAll(page, group, people, 'demote'),
    },
    WASmaxGroupsAddParticipantsRPC: {
      sendAddParticipantsRPC: ({ iqTo, participantArgs }: AddParticipants) => add(page, iqTo, participantArgs),
    },
  };
}

/** Refuses before it asks, if any one of them may not be changed; does not tell how it went with each. */
function act(
  { connection }: Page,
  action: WireMemberAction,
  isAllowed: (members: ParticipantCollection, member: Participant) => boolean,
) {
  return async (chat: Chat, people: readonly Participant[]): Promise<void> => {
    const members = chat.groupMetadata?.get('participants');
    if (!members || !people.every((each) => isAllowed(members, each))) throw new ActionError();
    if (people.length === 0 && action === 'remove') {
      throw new Error('expected at least 1 children, but found 0');
    }
    const who = people.map((participant) => String(participant.get('id')));
    await connection.request('change-members', { id: String(chat.get('id')), who, action });
  };
}

async function changeAll({ connection }: Page, group: Wid, people: readonly Wid[], action: WireMemberAction) {
  const who = people.map((wid) => wid.toString());
  const codes = await connection.request('change-members', { id: String(group), who, action });
  return { status: 207, participants: codes.map((code, index) => ({ userWid: people[index], code: String(code) })) };
}

async function addAll({ connection }: Page, group: Wid, people: readonly Added[]) {
  const participants = await Promise.all(
    people.map(async ({ lid, phoneNumber }) => {
      const userWid = lid ?? phoneNumber;
      const { code, invite } = await connection.request('add-to-group', { id: String(group), who: userWid.toString() });
      const invitation = invite ? { invite_code: invite.code, invite_code_exp: String(invite.expiration) } : {};
      return { userWid, code: String(code), ...invitation };
    }),
  );
  return { status: 207, participants };
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
