import { createMexError, refusalStatus, ServerStatusCodeError } from '../errors.ts';
import { SETTLE_MS } from '../group-queries.ts';
import type { Chat } from '../models/chat.ts';
import { contacts } from '../models/contact.ts';
import { updateGroup } from '../models/group.ts';
import { groups } from '../models/group-metadata.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { switches } from '../switches.ts';
import { createWid, type Wid } from '../wid.ts';
import type { WireGroupChange, WireMemberAction } from '../wire.ts';
import { inviteModules, queryGroupInvite } from './invite-modules.ts';

/** The arguments for a description in newer builds. */
interface Description {
  readonly groupWid: Wid;
  readonly desc: string | null;
  readonly newDescId: string;
  readonly prevDescId?: string | undefined;
}

export function groupModules(page: Page): Modules {
  const { connection } = page;
  const change = async (id: string, what: WireGroupChange) => {
    await connection.request('change-group', { id, change: what });
  };
  const describe = (wid: Wid, text: string, id: string, previous: string | undefined) => {
    // Without an id this is a TypeError.
    wid.toJid();
    return change(String(wid), { description: { id, text, previous } });
  };
  return {
    WAWebGroupCreateJob: { createGroup: createGroup(page) },
    WAWebGroupQueryJob: {
      queryGroupInvite: queryGroupInvite(page),
      queryAndUpdateGroupMetadataById: ({ id }: { id: string | Wid }) => queryAndUpdate(page, String(id)),
    },
    WAWebQueryAndUpdateGroupMetadataJob: {
      // With fields in its argument, the page creates chats for all groups.
      queryAndUpdateAllGroupMetadata: async (_what: Record<string, never>) => page.groupQueries.updateAll(),
    },
    ...(switches.lazyParticipants && {
      WAWebGroupQueryGroupJob: { queryGroupJob: (id: Wid, _context: string) => queryStatus(page, String(id)) },
    }),
    ...memberActions(page),
    ...inviteModules(page),
    WAWebGroupModifyInfoJob: {
      setGroupSubject: (id: Wid, subject: string) => change(String(id), { subject }),
      setGroupDescription:
        switches.groupDescription === 'object'
          ? async ({ groupWid, desc, newDescId, prevDescId }: Description) =>
              describe(groupWid, desc ?? '', newDescId, prevDescId)
          : (id: Wid, text: string | null, newId: string, previousId: string | undefined) =>
              describe(id, text ?? '', newId, previousId),
      setGroupProperty: setProperty(page),
    },
    WAWebMexUpdateGroupPropertyJob: { mexUpdateGroupPropertyJob: updateProperty(page) },
    WAWebExitGroupAction: { sendExitGroup: (chat: Chat) => leave(page, chat) },
  };
}

async function queryAndUpdate({ groupQueries }: Page, id: string): Promise<unknown> {
  if (!switches.lazyParticipants) return updateGroup(await groupQueries.ask(id));
  try {
    const group = await groupQueries.ask(id);
    setTimeout(() => updateGroup(group), SETTLE_MS);
  } catch (error) {
    const status = refusalStatus(error);
    if (status !== 403 && status !== 404) throw error;
  }
  return undefined;
}

/** The answer as the page's own query returns it. */
async function queryStatus({ groupQueries }: Page, id: string): Promise<object> {
  try {
    await groupQueries.ask(id);
    return { status: 'success' };
  } catch (error) {
    const status = refusalStatus(error);
    if (status === 404) return { status: 'terminated' };
    if (status === 403) return { status: 'not_member' };
    throw error;
  }
}

/** True once the account has left, false if the network refuses. */
async function leave({ connection, users }: Page, chat: Chat): Promise<boolean> {
  const id = String(chat.get('id'));
  try {
    await connection.request('leave-group', { id });
  } catch (error) {
    if (refusalStatus(error) === undefined) throw error;
    return false;
  }
  const participants = groups.get(id)?.get('participants');
  for (const member of participants?.getModelsArray() ?? []) {
    if (users.isMe(String(member.get('id')))) participants?.remove(member);
  }
  chat.set({ isReadOnly: true });
  return true;
}

interface NewGroup {
  readonly title: string;
  readonly addressingModeOverride?: 'pn' | 'lid';
  readonly announce?: boolean;
  readonly restrict?: boolean;
  readonly memberAddMode?: boolean;
  readonly ephemeralDuration?: number;
}

/** A person to add, by LID if there is one; without a number if that is hidden. */
interface Invited {
  readonly phoneNumber?: Wid | undefined;
  readonly lid?: Wid;
}

/** Creates a group. In the real page `announce` and `restrict` mean the opposite of their names (wwebjs #201767). */
function createGroup({ connection }: Page) {
  return async (group: NewGroup, people: readonly Invited[]) => {
    const { title, addressingModeOverride = 'pn', announce = false, restrict = false, memberAddMode } = group;
    const made = await connection.request('create-group', {
      subject: title,
      participants: people.map(({ lid, phoneNumber }) => jidOf(lid ?? phoneNumber)),
      addressing: addressingModeOverride,
      announce: !announce,
      restrict: !restrict,
      adminsAdd: memberAddMode === false,
      messageTimer: group.ephemeralDuration ?? 0,
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

/** As in the real page, this is a TypeError without an id. */
function jidOf(id: Wid | undefined): string {
  return (id as Wid).toString();
}

function memberActions(page: Page): Modules {
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

/** Sends one request for all. A person who is not registered is not among the participants. */
function add({ connection }: Page) {
  return async (group: Wid, people: readonly Invited[]): Promise<object> => {
    const who = people.map(({ lid, phoneNumber }) => jidOf(lid ?? phoneNumber));
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

/** The settings that use the older request, by their names in the page. */
const changes: Readonly<Record<string, (isOn: boolean) => WireGroupChange>> = {
  announcement: (announce) => ({ announce }),
  restrict: (restrict) => ({ restrict }),
  membership_approval_mode: (approveJoins) => ({ approveJoins }),
};

/** Changes a setting by the older request. A refusal of the network is returned, not thrown. */
function setProperty({ connection }: Page) {
  return async (group: Wid, type: string, value: number): Promise<object> => {
    const change = changes[type]?.(value === 1);
    if (!change) throw new Error(`invalid group property ${type}`);
    try {
      await connection.request('change-group', { id: String(group), change });
      return { name: 'SetPropertyResponseSuccess', value: {} };
    } catch (error) {
      if (!(error instanceof ServerStatusCodeError)) throw error;
      const value = { code: error.status, text: error.message };
      return { name: 'SetPropertyResponseClientError', value: { errorSetPropertyClientErrors: { value } } };
    }
  };
}

/** Changes a setting by the newer request, which throws. */
interface PropertyUpdate {
  readonly member_add_mode?: 'ADMIN_ADD' | 'ALL_MEMBER_ADD';
  readonly member_link_mode?: 'ADMIN_LINK';
}

function updateProperty({ connection }: Page) {
  return async (id: string, update: PropertyUpdate): Promise<void> => {
    // One property in each request, as the page sends them.
    if (Object.keys(update).length !== 1) throw createMexError(400, 'bad-request');
    if (update.member_add_mode === undefined) return; // Who shares invites is not simulated.
    const change = { adminsAdd: update.member_add_mode === 'ADMIN_ADD' };
    try {
      await connection.request('change-group', { id, change });
    } catch (error) {
      throw error instanceof ServerStatusCodeError ? createMexError(error.status, error.message) : error;
    }
  };
}
