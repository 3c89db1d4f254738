import { GatewayError, type Handlers, type ParticipantResult } from '@chat-web/protocol';
import { toGroups } from '../client/lists.ts';
import type { HandlerContext } from '../client/port.ts';
import { listGroups } from '../page/chats.ts';
import { addParticipants, createGroup, leaveGroup, removeParticipants, renameGroup } from '../page/groups.ts';
import type { GroupRefusal } from '../page/window.ts';
import { refusedBy } from './sending.ts';

const LIST_TIMEOUT_MS = 25_000;
const CHANGE_TIMEOUT_MS = 25_000;
const MEMBERS_TIMEOUT_MS = 55_000;
/** Shorter than the operation's limit, so that the answer has a code for each person. */
const ADD_TIMEOUT_MS = 40_000;
/** How long loading the members of groups may take. */
const LIST_MEMBERS_TIMEOUT_MS = 20_000;
/** How long loading the members of a group may take. */
export const MEMBERS_OF_ONE_TIMEOUT_MS = 8_000;

const MESSAGES: Readonly<Record<number, string>> = {
  402: 'was removed from the group before: an admin has to add this person',
  403: 'cannot be changed by this account, or can only be added by invitation',
  404: 'is not registered on the network, or not in the group',
  405: 'is this account itself: leave the group instead',
  406: 'created the group, and cannot be removed or demoted',
  408: 'has left the group recently',
  409: 'is already in the group',
  419: 'was not added: the community is full',
  421: 'has to be approved by an admin',
  429: 'was rate limited by the network: retry later',
  500: 'was refused by the network: the group is full, or the network failed',
  503: 'was not tried: the time limit was reached, or the network did not identify the person',
  504: 'may not have been changed: look at the group',
};

/** Handlers of the operations on groups. */
export function groupHandlers({
  page,
}: HandlerContext): Handlers<
  'listGroups' | 'createGroup' | 'addParticipants' | 'removeParticipants' | 'leaveGroup' | 'renameGroup'
> {
  return {
    listGroups: async () => toGroups(await page.read(LIST_TIMEOUT_MS, listGroups, LIST_MEMBERS_TIMEOUT_MS)),

    createGroup: async ({ subject, participants }) => {
      const created = await page.change(MEMBERS_TIMEOUT_MS, createGroup, subject, participants);
      if (created !== 'none_registered') {
        if ('refused' in created) throw refusedBy(created.refused);
        return created.id;
      }
      throw new GatewayError('recipient_not_found', 'none of the participants is registered on the network');
    },

    addParticipants: async ({ groupId, participants }) => {
      const codes = allowed(
        await page.change(
          MEMBERS_TIMEOUT_MS,
          addParticipants,
          groupId,
          participants,
          ADD_TIMEOUT_MS,
          MEMBERS_OF_ONE_TIMEOUT_MS,
        ),
      );
      return { groupId, participants: results(participants, codes) };
    },

    removeParticipants: async ({ groupId, participants }) => {
      const codes = allowed(
        await page.change(MEMBERS_TIMEOUT_MS, removeParticipants, groupId, participants, MEMBERS_OF_ONE_TIMEOUT_MS),
      );
      return { groupId, participants: results(participants, codes) };
    },

    leaveGroup: async ({ groupId }) => {
      const outcome = allowed(await page.change(CHANGE_TIMEOUT_MS, leaveGroup, groupId, MEMBERS_OF_ONE_TIMEOUT_MS));
      if (outcome === 'unknown')
        throw new GatewayError('outcome_unknown', 'the web client did not report whether the group was left');
      return { groupId, left: true };
    },

    renameGroup: async ({ groupId, subject }) => {
      allowed(await page.change(CHANGE_TIMEOUT_MS, renameGroup, groupId, subject, MEMBERS_OF_ONE_TIMEOUT_MS));
      return { groupId, subject };
    },
  };
}

/** The result of a script; throws if the group was not read or changed. */
export function allowed<T>(outcome: T | GroupRefusal): Exclude<T, GroupRefusal> {
  if (outcome === 'no_group') throw new GatewayError('chat_not_found', 'the account is not in that group');
  if (outcome === 'not_admin') throw new GatewayError('not_permitted', 'the account is not an admin of that group');
  if (typeof outcome === 'object' && outcome !== null && 'refused' in outcome) throw refusedBy(outcome.refused);
  return outcome as Exclude<T, GroupRefusal>;
}

/** The result for each participant, from the network's codes in order. */
export function results(people: readonly string[], codes: readonly number[]): ParticipantResult[] {
  return people.map((id, index) => {
    const code = codes[index] ?? 504;
    const ok = code === 200;
    return { id, ok, code, ...(ok ? {} : { message: MESSAGES[code] ?? 'was refused by the network' }) };
  });
}
