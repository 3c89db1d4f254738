import { GatewayError, type Handlers, type ParticipantResult } from '@chat-web/protocol';
import { toGroups } from '../client/lists.ts';
import type { HandlerContext } from '../client/port.ts';
import { listGroups } from '../page/chats.ts';
import {
  addParticipants,
  createGroup,
  type GroupRefusal,
  leaveGroup,
  removeParticipants,
  renameGroup,
} from '../page/groups.ts';

const LIST_TIMEOUT_MS = 25_000;
const CHANGE_TIMEOUT_MS = 25_000;
const MEMBERS_TIMEOUT_MS = 55_000;
/** Within that, so that those who were added are told. */
const ADD_TIMEOUT_MS = 40_000;
const SETTLE_TIMEOUT_MS = 3_000;
const METADATA_TIMEOUT_MS = 10_000;

const MESSAGES: Readonly<Record<number, string>> = {
  403: 'can be added by a private invitation only',
  404: 'is not registered on the network, or not in the group',
  408: 'has left the group recently',
  405: 'is this account itself: leave the group instead',
  409: 'is in the group already',
  503: 'was not tried: the time ran out',
};

/** Handlers of the operations on groups. */
export function groupHandlers({
  page,
}: HandlerContext): Handlers<
  'listGroups' | 'createGroup' | 'addParticipants' | 'removeParticipants' | 'leaveGroup' | 'renameGroup'
> {
  return {
    listGroups: async () => toGroups(await page.read(LIST_TIMEOUT_MS, listGroups, METADATA_TIMEOUT_MS)),

    createGroup: async ({ subject, participants }) => {
      const created = await page.change(MEMBERS_TIMEOUT_MS, createGroup, subject, participants);
      if (created !== 'nobody') return created;
      throw new GatewayError('recipient_not_found', 'none of the participants is registered on the network');
    },

    addParticipants: async ({ groupId, participants }) => {
      const codes = allowed(
        groupId,
        await page.change(MEMBERS_TIMEOUT_MS, addParticipants, groupId, participants, ADD_TIMEOUT_MS),
      );
      return { groupId, participants: participants.map((id, index) => result(id, codes[index] ?? 400)) };
    },

    removeParticipants: async ({ groupId, participants }) => {
      const codes = allowed(
        groupId,
        await page.change(MEMBERS_TIMEOUT_MS, removeParticipants, groupId, participants, SETTLE_TIMEOUT_MS),
      );
      return { groupId, participants: participants.map((id, index) => result(id, codes[index] ?? 500)) };
    },

    leaveGroup: async ({ groupId }) => {
      allowed(groupId, await page.change(CHANGE_TIMEOUT_MS, leaveGroup, groupId));
      return { groupId, left: true };
    },

    renameGroup: async ({ groupId, subject }) => {
      allowed(groupId, await page.change(CHANGE_TIMEOUT_MS, renameGroup, groupId, subject));
      return { groupId, subject };
    },
  };
}

function allowed<T>(groupId: string, outcome: T | GroupRefusal): Exclude<T, GroupRefusal> {
  if (outcome === 'no_group') throw new GatewayError('chat_not_found', `the account is in no group ${groupId}`);
  if (outcome === 'not_admin') throw new GatewayError('not_permitted', `the account is no admin of group ${groupId}`);
  return outcome as Exclude<T, GroupRefusal>;
}

function result(id: string, code: number): ParticipantResult {
  const ok = code === 200;
  return { id, ok, code, ...(ok ? {} : { message: MESSAGES[code] ?? 'was refused by the network' }) };
}
