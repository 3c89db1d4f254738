import type { Chat } from '../models/chat.ts';
import { contacts } from '../models/contact.ts';
import { learnGroup, type Participant } from '../models/group.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { createWid, type Wid } from '../wid.ts';
import type { WireGroupChange, WireMemberAction } from '../wire.ts';

interface NewGroup {
  readonly title: string;
  readonly addressingModeOverride?: 'pn' | 'lid';
  readonly announce?: boolean;
  readonly restrict?: boolean;
  readonly memberAddMode?: boolean;
}

const properties: Readonly<Record<string, (value: number) => WireGroupChange>> = {
  announcement: (value) => ({ announce: value === 1 }),
  restrict: (value) => ({ restrict: value === 1 }),
  member_add_mode: (value) => ({ adminsAdd: value === 0 }),
};

/** What can be done with groups. */
export function groupModules(page: Page): Modules {
  const { connection } = page;
  const update = async (id: string) => learnGroup(await connection.request('group', { id }));
  const change = async (id: string, what: WireGroupChange) => {
    await connection.request('change-group', { id, change: what });
  };
  const act = (action: WireMemberAction) => async (chat: Chat, people: readonly Participant[]) => {
    const who = people.map((participant) => String(participant.get('id')));
    await connection.request('change-members', { id: String(chat.get('id')), who, action });
  };
  const inviteCode = (id: string, renew: boolean) => connection.request('group-invite', { id, renew });
  return {
    WAWebGroupCreateJob: {
      createGroup: async (group: NewGroup, people: readonly { phoneNumber: Wid }[]) => create(page, group, people),
    },
    WAWebGroupQueryJob: {
      queryAndUpdateGroupMetadataById: ({ id }: { id: string | Wid }) => update(String(id)),
      queryGroupInvite: async (code: string) => {
        const { id, subject, participants } = await connection.request('invited-group', { code });
        return { id: createWid(id), subject, participants: participants.map((each) => ({ id: createWid(each.id) })) };
      },
      resetGroupInviteCode: (id: Wid) => inviteCode(String(id), true),
    },
    WAWebModifyParticipantsGroupAction: {
      removeParticipants: act('remove'),
      promoteParticipants: act('promote'),
      demoteParticipants: act('demote'),
    },
    WAWebGroupModifyInfoJob: {
      setGroupSubject: (id: Wid, subject: string) => change(String(id), { subject }),
      setGroupDescription: (id: Wid, text: string, newId: string) =>
        change(String(id), { description: { id: newId, text } }),
    },
    WAWebSetPropertyGroupAction: {
      setGroupProperty: async (chat: Chat, name: string, value: number) => {
        const what = properties[name]?.(value);
        if (!what) throw new Error(`group property ${name} is not simulated`);
        await change(String(chat.get('id')), what);
      },
    },
    WAWebExitGroupAction: {
      sendExitGroup: async (chat: Chat) => {
        await connection.request('leave-group', { id: String(chat.get('id')) });
      },
    },
    WAWebMexFetchGroupInviteCodeJob: { fetchMexGroupInviteCode: (id: string) => inviteCode(id, false) },
    WAWebGroupInviteJob: {
      joinGroupViaInvite: async (code: string) => ({
        gid: createWid((await connection.request('join-group', { code })).id),
      }),
    },
    WASmaxGroupsAddParticipantsRPC: {
      sendAddParticipantsRPC: ({ iqTo, participantArgs }: AddParticipants) => add(page, iqTo, participantArgs),
    },
  };
}

async function create({ connection }: Page, group: NewGroup, people: readonly { phoneNumber: Wid }[]) {
  const made = await connection.request('create-group', {
    ...{ subject: group.title, participants: people.map(({ phoneNumber }) => String(phoneNumber)) },
    ...{ addressing: group.addressingModeOverride ?? 'pn', announce: group.announce ?? false },
    ...{ restrict: group.restrict ?? false, adminsAdd: group.memberAddMode ?? false },
  });
  const participants = made.participants.map(({ id, code, invite }, index) => ({
    ...{ wid: createWid(id), type: index === 0 ? 'superadmin' : 'participant' },
    ...(code === 200 ? {} : { error: code }),
    ...(invite ? { invite_code: invite.code, invite_code_exp: String(invite.expiration) } : {}),
  }));
  for (const { wid } of participants) if (!contacts.get(wid)) await connection.request('exists', { jid: String(wid) });
  return { wid: createWid(made.group.id), subject: made.group.subject, participants };
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
