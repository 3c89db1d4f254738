import type { PageChat, PageId, PageParticipant } from '../window.ts';
import { type Contract, fn, unchecked } from './part.ts';

/** Modules for groups. */
export interface GroupModules {
  WAWebGroupQueryJob: { queryAndUpdateGroupMetadataById(what: { id: unknown }): Promise<unknown> };
  WAWebGroupCreateJob: { createGroup(options: object, people: { phoneNumber: object }[]): Promise<{ wid: PageId }> };
  WAWebGroupModifyInfoJob: { setGroupSubject(group: unknown, subject: string): Promise<unknown> };
  WAWebExitGroupAction: { sendExitGroup(chat: PageChat): Promise<unknown> };
  WAWebModifyParticipantsGroupAction: {
    removeParticipants(chat: PageChat, participants: readonly PageParticipant[]): Promise<unknown>;
  };
}

/** Modules that the library uses for it. */
type OfLibrary = 'WASmaxGroupsAddParticipantsRPC' | 'WAWebWidToJid';

/** Their parts. */
export const groupParts: Contract<GroupModules, OfLibrary> = {
  WAWebGroupQueryJob: {
    queryAndUpdateGroupMetadataById: unchecked('({id}) → Promise; rejects if the network limits the rate'),
  },
  WAWebGroupCreateJob: { createGroup: fn('(options, [{phoneNumber}]) → Promise<{wid}>', 'createGroup') },
  WAWebGroupModifyInfoJob: { setGroupSubject: fn('(group id, subject) → Promise', 'renameGroup') },
  WAWebExitGroupAction: {
    sendExitGroup: fn('(chat) → Promise<true | false>; false if the network refuses', 'leaveGroup'),
  },
  WAWebModifyParticipantsGroupAction: {
    removeParticipants: fn('(chat, members) → Promise; throws for all if one is not allowed', 'removeParticipants'),
  },
  WASmaxGroupsAddParticipantsRPC: {
    sendAddParticipantsRPC: fn('({iqTo, participantArgs}) → Promise', 'addParticipants'),
  },
  WAWebWidToJid: {
    widToGroupJid: fn('(id) → text', 'addParticipants'),
    widToUserJid: fn('(id) → text', 'addParticipants'),
  },
};
