import type { PageContact, PageId, PageMessage } from '../models.ts';
import { type Contract, either, fn, unchecked } from './part.ts';

type Getter<R> = (contact: PageContact) => R;

/** Modules for people. */
export interface PeopleModules {
  WAWebQueryExistsJob: {
    /** Queries the network, and stores hidden ids. Null: not registered. */
    queryWidExists(wid: unknown): Promise<{ wid?: PageId } | null>;
    /** Null: nobody has the name. Without `wid`: the PIN of that person is missing or wrong. */
    queryUsernameExists(name: string, pin?: string): Promise<{ wid?: PageId } | null>;
  };
  WAWebApiContact: {
    /** The hidden id, from memory. */
    getCurrentLid(wid: unknown): PageId | undefined;
    /** The id by number, from memory. */
    getPhoneNumber(wid: unknown): PageId | undefined;
  };
  WAWebLidMigrationUtils: {
    /** The id by number, from memory. */
    toPn(wid: unknown): PageId | undefined;
    /** The key with the other id of the person in the chat, otherwise of the author. From memory. */
    getAlternateMsgKey?(key: object): PageMessage['id'] | null | undefined;
  };
  WAWebDBCreateLidPnMappings: {
    /** Stores the numbers of hidden ids. */
    createLidPnMappings(what: {
      mappings: readonly { lid: PageId; pn: PageId }[];
      flushImmediately: boolean;
      learningSource: 'usync';
    }): Promise<unknown>;
  };
  WAWebContactGetters: {
    getIsMe: Getter<boolean>;
    getIsUser: Getter<boolean>;
    getIsWAContact: Getter<boolean>;
    /** The name in the address book. */
    getName: Getter<string | undefined>;
    /** The name that the person chose. */
    getPushname: Getter<string | undefined>;
  };
  WAWebFrontendContactGetters: { getIsMyContact: Getter<boolean> };
  WAWebContactProfilePicThumbBridge: {
    /** Resolves with `eurl`, with an empty `tag`, or with `stale`. */
    requestProfilePicFromServer(what: {
      id: unknown;
      tcToken?: unknown;
    }): Promise<{ eurl?: string; tag?: string; stale?: boolean } | undefined>;
    sendSetPicture(wid: unknown, thumbnail: string, picture: string): Promise<{ status?: number } | undefined>;
    requestDeletePicture(wid: unknown): Promise<{ status?: number } | undefined>;
  };
  WAWebSendProfilePictureJob: (wid: unknown, jpeg: Uint8Array) => Promise<unknown>;
  WAWebChangeProfilePicThumb: {
    /** The page shows the new picture. */
    changeProfilePicThumb(wid: unknown, command: unknown): Promise<unknown>;
  };
  WAWebProfilePicConstants: {
    /** Their names. */
    ProfilePicCommand: { Set: unknown };
  };
}

/** Their parts. */
export const peopleParts: Contract<PeopleModules> = {
  WAWebQueryExistsJob: {
    queryWidExists: fn('numberExists', 'networkProbe'),
    queryUsernameExists: fn('findUsername'),
  },
  WAWebApiContact: {
    getCurrentLid: fn(
      'phoneNumbers',
      'getPicture',
      'addParticipants',
      'removeParticipants',
      'promoteParticipants',
      'demoteParticipants',
      'approveJoinRequests',
      'rejectJoinRequests',
      'blockContact',
      'unblockContact',
    ),
    getPhoneNumber: either(fn('phoneNumbers'), 'WAWebLidMigrationUtils.toPn'),
  },
  WAWebLidMigrationUtils: {
    toPn: either(fn('phoneNumbers'), 'WAWebApiContact.getPhoneNumber'),
    getAlternateMsgKey: unchecked(),
  },
  WAWebDBCreateLidPnMappings: { createLidPnMappings: unchecked() },
  WAWebContactGetters: {
    getIsMe: unchecked(),
    getIsUser: unchecked(),
    getIsWAContact: unchecked(),
    getName: unchecked(),
    getPushname: unchecked(),
  },
  WAWebFrontendContactGetters: { getIsMyContact: unchecked() },
  WAWebContactProfilePicThumbBridge: {
    requestProfilePicFromServer: fn('getPicture', 'getGroupPicture'),
    sendSetPicture: fn('setProfilePicture', 'setGroupPicture'),
    requestDeletePicture: fn('removeProfilePicture', 'removeGroupPicture'),
  },
  // A default export: (id, bytes of a JPEG) → Promise; rejects with the network's code. Without it, `sendSetPicture`.
  WAWebSendProfilePictureJob: {},
  WAWebChangeProfilePicThumb: { changeProfilePicThumb: unchecked() },
  WAWebProfilePicConstants: { ProfilePicCommand: unchecked() },
};
