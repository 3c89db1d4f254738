import { type groupOperations, type ParticipantResult, participantResult } from '@chat-web/protocol';
import * as v from 'valibot';
import { toGroups } from '../client/lists.ts';
import type { HandlerDependencies, WorkerHandlers } from '../client/port.ts';
import type { InviteCodes } from '../page/tools/groups.ts';
import { ListPages } from './list-pages.ts';

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

export function groupHandlers({ page }: HandlerDependencies): WorkerHandlers<keyof typeof groupOperations> {
  const groups = new ListPages(async (time) =>
    toGroups(await page.read(time.rest(), 'listGroups', time.step('inPage'))),
  );
  return {
    listGroups: (input, { time }) => groups.get(input, time),

    createGroup: async ({ subject, participants, results: hasResults = false }, { time }) => {
      const { id, ...made } = await page.change(time.rest(), 'createGroup', subject, participants, hasResults);
      return hasResults ? { id, participants: results(participants, made) } : id;
    },

    addParticipants: async ({ groupId, participants }, { time }) => {
      const limits = [time.step('inPage'), time.step('members')] as const;
      const added = await page.change(time.rest(), 'addParticipants', groupId, participants, ...limits);
      return { groupId, participants: results(participants, added) };
    },

    removeParticipants: async ({ groupId, participants }, { time }) => {
      const codes = await page.change(time.rest(), 'removeParticipants', groupId, participants, time.step('members'));
      return { groupId, participants: results(participants, { codes }) };
    },

    leaveGroup: async ({ groupId }, { time }) => {
      await page.change(time.rest(), 'leaveGroup', groupId, time.step('members'));
      return { groupId, left: true };
    },

    renameGroup: async ({ groupId, subject }, { time }) => {
      await page.change(time.rest(), 'renameGroup', groupId, subject, time.step('members'));
      return { groupId, subject };
    },
  };
}

/** The result for each participant, from the network's codes in order. */
export function results(
  people: readonly string[],
  { codes, inviteCodes }: { readonly codes: readonly number[]; readonly inviteCodes?: InviteCodes },
): ParticipantResult[] {
  return people.map((id, index) => {
    const code = codes[index] ?? 504;
    if (code === 200) return { id, ok: true, code };
    const refused = { id, ok: false, code, message: MESSAGES[code] ?? 'was refused by the network' };
    const inviteCode = inviteCodes?.[index];
    return isInviteCode(inviteCode) ? { ...refused, inviteCode } : refused;
  });
}

function isInviteCode(code: unknown): code is string {
  return v.is(v.nonOptional(participantResult.entries.inviteCode), code);
}
