import type { PageChat, PageGroup, PageId } from '../models.ts';
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
  readonly phoneNumber?: object | undefined;
  readonly lid?: object;
}
/** The network's code for each person. */
export type MemberCodes = { participants?: readonly { userWid?: PageId; code?: unknown }[] } | undefined;
type ChangeRoles = (group: unknown, people: readonly PageId[], isLidAddressingMode: boolean) => Promise<MemberCodes>;

/** Modules for groups. */
export interface GroupModules {
  WAWebGroupQueryJob: {
    /** Rejects if the network limits the rate. */
    queryAndUpdateGroupMetadataById(what: { id: unknown }): Promise<unknown>;
    /** Rejects with 404 or 410. */
    queryGroupInvite(code: string): Promise<PageGroup & { readonly id: PageId; readonly subject?: string }>;
  };
  WAWebQueryAndUpdateGroupMetadataJob: {
    /** Stores all groups with their members; rejects if the network limits the rate. */
    queryAndUpdateAllGroupMetadata(what: Record<string, never>): Promise<unknown>;
  };
  WAWebGroupQueryGroupJob: {
    /** `status` is `success`, `not_member`, or begins with `terminated`. */
    queryGroupJob?(group: unknown, context: string): Promise<{ readonly status?: string } | undefined>;
  };
  WAWebGroupCreateJob: {
    /** `error` is the network's code for a person who was not added. */
    createGroup(
      options: object,
      people: readonly NewMember[],
    ): Promise<{
      wid: PageId;
      participants?: readonly { wid?: PageId; error?: unknown; invite_code?: string | null }[];
    }>;
    /** Thrown without a code: nothing was created. */
    GroupAlreadyExistsError?: new (
      ...args: never[]
    ) => Error;
  };
  WAWebGroupModifyInfoJob: {
    setGroupSubject(group: unknown, subject: string): Promise<unknown>;
    setGroupDescription(...args: [GroupText] | [unknown, string | null, string, string | undefined]): Promise<unknown>;
    /** A refusal is returned: `name` ends with `Success` or `Error`. */
    setGroupProperty(group: unknown, property: string, value: 0 | 1): Promise<unknown>;
  };
  WAWebMexUpdateGroupPropertyJob: { mexUpdateGroupPropertyJob(group: string, update: object): Promise<unknown> };
  WAWebGroupModifyParticipantsJob: {
    addGroupParticipants(
      group: unknown,
      people: readonly NewMember[],
    ): Promise<
      | {
          participants?: readonly { userWid?: PageId; code?: unknown; invite_code?: string | null }[];
          invitedOutContacts?: readonly { phoneNumberWid?: PageId; code?: unknown }[];
        }
      | undefined
    >;
    removeGroupParticipants(group: unknown, people: readonly PageId[]): Promise<MemberCodes>;
    promoteGroupParticipants: ChangeRoles;
    demoteGroupParticipants: ChangeRoles;
  };
  WAWebExitGroupAction: {
    /** Resolves with false if the network refuses; rejects without an answer. */
    sendExitGroup(chat: PageChat): Promise<unknown>;
  };
}

/** Their parts. */
export const groupParts: Contract<GroupModules> = {
  WAWebGroupQueryJob: {
    queryAndUpdateGroupMetadataById: unchecked(),
    queryGroupInvite: fn('getInvite', 'joinGroup'),
  },
  WAWebQueryAndUpdateGroupMetadataJob: { queryAndUpdateAllGroupMetadata: unchecked() },
  WAWebGroupQueryGroupJob: { queryGroupJob: unchecked() },
  WAWebGroupCreateJob: {
    createGroup: fn('createGroup'),
    GroupAlreadyExistsError: unchecked(),
  },
  WAWebGroupModifyInfoJob: {
    setGroupSubject: fn('renameGroup'),
    setGroupDescription: fn('setGroupDescription'),
    setGroupProperty: fn('updateGroupSettings'),
  },
  WAWebMexUpdateGroupPropertyJob: { mexUpdateGroupPropertyJob: fn('updateGroupSettings') },
  WAWebGroupModifyParticipantsJob: {
    addGroupParticipants: fn('addParticipants'),
    removeGroupParticipants: fn('removeParticipants'),
    promoteGroupParticipants: fn('promoteParticipants'),
    demoteGroupParticipants: fn('demoteParticipants'),
  },
  WAWebExitGroupAction: { sendExitGroup: fn('leaveGroup') },
};
