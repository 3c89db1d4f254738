import type { PageChat, PageGroup, PageId } from '../window.ts';
import { type Contract, fn, unchecked } from './part.ts';

/** A description and the one that it replaces; without a text, the description is removed. */
interface GroupText {
  readonly groupWid: unknown;
  readonly desc: string | undefined;
  readonly newDescId: string;
  readonly prevDescId: string | undefined;
}
/** A person to add; with a hidden id only in groups that use hidden ids. */
interface NewMember {
  readonly phoneNumber: object;
  readonly lid?: object;
}
/** The network's code for each person. */
export type MemberCodes = { participants?: readonly { userWid?: PageId; code?: unknown }[] } | undefined;
type ChangeRoles = (group: unknown, people: readonly PageId[], isLidAddressingMode: boolean) => Promise<MemberCodes>;

/** Modules for groups. */
export interface GroupModules {
  WAWebGroupQueryJob: {
    queryAndUpdateGroupMetadataById(what: { id: unknown }): Promise<unknown>;
    queryGroupInvite(code: string): Promise<PageGroup & { readonly id: PageId; readonly subject?: string }>;
  };
  WAWebQueryAndUpdateGroupMetadataJob: {
    queryAndUpdateAllGroupMetadata(what: Record<string, never>): Promise<unknown>;
  };
  WAWebGroupQueryGroupJob: {
    queryGroupJob?(group: unknown, context: string): Promise<{ readonly status?: string } | undefined>;
  };
  WAWebGroupCreateJob: { createGroup(options: object, people: readonly NewMember[]): Promise<{ wid: PageId }> };
  WAWebGroupModifyInfoJob: {
    setGroupSubject(group: unknown, subject: string): Promise<unknown>;
    setGroupDescription(...args: [GroupText] | [unknown, string | null, string, string | undefined]): Promise<unknown>;
    setGroupProperty(group: unknown, property: string, value: 0 | 1): Promise<unknown>;
  };
  WAWebMexUpdateGroupPropertyJob: { mexUpdateGroupPropertyJob(group: string, update: object): Promise<unknown> };
  WAWebGroupModifyParticipantsJob: {
    addGroupParticipants(
      group: unknown,
      people: readonly NewMember[],
    ): Promise<
      | {
          participants?: readonly { userWid?: PageId; code?: unknown }[];
          invitedOutContacts?: readonly { phoneNumberWid?: PageId; code?: unknown }[];
        }
      | undefined
    >;
    removeGroupParticipants(group: unknown, people: readonly PageId[]): Promise<MemberCodes>;
    promoteGroupParticipants: ChangeRoles;
    demoteGroupParticipants: ChangeRoles;
  };
  WAWebExitGroupAction: { sendExitGroup(chat: PageChat): Promise<unknown> };
}

/** Their parts. */
export const groupParts: Contract<GroupModules> = {
  WAWebGroupQueryJob: {
    queryAndUpdateGroupMetadataById: unchecked('({id}) → Promise; rejects if the network limits the rate'),
    queryGroupInvite: fn('(code) → Promise of the group; rejects with 404 or 410', 'getInvite', 'joinGroup'),
  },
  WAWebQueryAndUpdateGroupMetadataJob: {
    queryAndUpdateAllGroupMetadata: unchecked(
      '({}) → Promise; stores all groups with their members; rejects if the network limits the rate',
    ),
  },
  WAWebGroupQueryGroupJob: {
    queryGroupJob: unchecked("(group id, context) → Promise<{status: 'success' | 'not_member' | 'terminated…'}>"),
  },
  WAWebGroupCreateJob: { createGroup: fn('(options, [{phoneNumber}]) → Promise<{wid}>', 'createGroup') },
  WAWebGroupModifyInfoJob: {
    setGroupSubject: fn('(group id, subject) → Promise', 'renameGroup'),
    setGroupDescription: fn(
      '({groupWid, desc, newDescId, prevDescId}), in older builds four arguments → Promise; 409 if prevDescId is not the last',
      'setGroupDescription',
    ),
    setGroupProperty: fn(
      "(group id, announcement | restrict | membership_approval_mode, 0 | 1) → Promise<{name: '…Success' | '…Error', value}>; a refusal is returned",
      'updateGroupSettings',
    ),
  },
  WAWebMexUpdateGroupPropertyJob: {
    mexUpdateGroupPropertyJob: fn(
      "(group id as text, {member_add_mode: 'ADMIN_ADD' | 'ALL_MEMBER_ADD', member_link_mode?: 'ADMIN_LINK'}) → Promise",
      'updateGroupSettings',
    ),
  },
  WAWebGroupModifyParticipantsJob: {
    addGroupParticipants: fn(
      '(group id, [{phoneNumber, lid?}]) → Promise<{participants: [{userWid, code}], invitedOutContacts: [{phoneNumberWid, code}]}>',
      'addParticipants',
    ),
    removeGroupParticipants: fn('(group id, ids) → Promise<{participants: [{userWid, code}]}>', 'removeParticipants'),
    promoteGroupParticipants: fn(
      '(group id, ids, by hidden id?) → Promise<{participants: [{userWid, code}]}>',
      'promoteParticipants',
    ),
    demoteGroupParticipants: fn('the same', 'demoteParticipants'),
  },
  WAWebExitGroupAction: {
    sendExitGroup: fn(
      '(chat) → Promise<true | false>; false if the network refuses; rejects without an answer',
      'leaveGroup',
    ),
  },
};
