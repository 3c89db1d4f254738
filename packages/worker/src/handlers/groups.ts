import { GatewayError, type groupOperations, type ParticipantResult } from '@chat-web/protocol';
import { toGroups } from '../client/lists.ts';
import type { HandlerContext, WorkerHandlers } from '../client/port.ts';
import type { GroupRefusal } from '../page/models.ts';
import { refusedBy, unlessRefused } from './refusals.ts';

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

export function groupHandlers({ page }: HandlerContext): WorkerHandlers<keyof typeof groupOperations> {
  return {
    listGroups: async (_, { time }) => toGroups(await page.read(time.rest(), 'listGroups', time.step('inPage'))),

    createGroup: async ({ subject, participants }, { time }) => {
      const created = await page.change(time.rest(), 'createGroup', subject, participants);
      return unlessRefused(created, {
        none_registered: ['recipient_not_found', 'none of the participants is registered on the network'],
      }).id;
    },

    addParticipants: async ({ groupId, participants }, { time }) => {
      const codes = allowed(
        await page.change(
          time.rest(),
          'addParticipants',
          groupId,
          participants,
          time.step('inPage'),
          time.step('members'),
        ),
      );
      return { groupId, participants: results(participants, codes) };
    },

    removeParticipants: async ({ groupId, participants }, { time }) => {
      const codes = allowed(
        await page.change(time.rest(), 'removeParticipants', groupId, participants, time.step('members')),
      );
      return { groupId, participants: results(participants, codes) };
    },

    leaveGroup: async ({ groupId }, { time }) => {
      const outcome = allowed(await page.change(time.rest(), 'leaveGroup', groupId, time.step('members')));
      unlessRefused(outcome, {
        unknown: ['outcome_unknown', 'the web client did not report whether the group was left'],
      });
      return { groupId, left: true };
    },

    renameGroup: async ({ groupId, subject }, { time }) => {
      allowed(await page.change(time.rest(), 'renameGroup', groupId, subject, time.step('members')));
      return { groupId, subject };
    },
  };
}

/** The result of a page function; throws if the group was not read or changed. */
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
