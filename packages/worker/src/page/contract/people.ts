import type { PageContact, PageId, PageMessage } from '../window.ts';
import { type Contract, either, fn, unchecked } from './part.ts';

type Getter<R> = (contact: PageContact) => R;

/** Modules for people. */
export interface PeopleModules {
  WAWebQueryExistsJob: { queryWidExists(wid: unknown): Promise<{ wid?: PageId } | null> };
  WAWebApiContact: {
    getCurrentLid(wid: unknown): PageId | undefined;
    getPhoneNumber(wid: unknown): PageId | undefined;
  };
  WAWebLidMigrationUtils: {
    toPn(wid: unknown): PageId | undefined;
    getAlternateMsgKey?(key: object): PageMessage['id'] | null | undefined;
  };
  WAWebDBCreateLidPnMappings: {
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
    getName: Getter<string | undefined>;
    getPushname: Getter<string | undefined>;
  };
  WAWebFrontendContactGetters: { getIsMyContact: Getter<boolean> };
  WAWebContactProfilePicThumbBridge: {
    requestProfilePicFromServer(what: {
      id: unknown;
      tcToken?: unknown;
    }): Promise<{ eurl?: string; tag?: string; stale?: boolean } | undefined>;
    sendSetPicture(wid: unknown, thumbnail: string, picture: string): Promise<{ status?: number } | undefined>;
    requestDeletePicture(wid: unknown): Promise<{ status?: number } | undefined>;
  };
  WAWebSendProfilePictureJob: (wid: unknown, jpeg: Uint8Array) => Promise<unknown>;
  WAWebChangeProfilePicThumb: { changeProfilePicThumb(wid: unknown, command: unknown): Promise<unknown> };
  WAWebProfilePicConstants: { ProfilePicCommand: { Set: unknown } };
}

/** Their parts. */
export const peopleParts: Contract<PeopleModules> = {
  WAWebQueryExistsJob: {
    queryWidExists: fn(
      '(id) → Promise<{wid} | null>; queries the network, and stores hidden ids',
      ...(['numberExists', 'networkProbe'] as const),
    ),
  },
  WAWebApiContact: {
    getCurrentLid: fn(
      '(id by number) → hidden id, from memory',
      ...(['phoneNumbers', 'getPicture', 'addParticipants', 'removeParticipants', 'promoteParticipants'] as const),
      ...([
        'demoteParticipants',
        'approveJoinRequests',
        'rejectJoinRequests',
        'blockContact',
        'unblockContact',
      ] as const),
    ),
    getPhoneNumber: either(
      fn('(hidden id) → id by number, from memory', 'phoneNumbers'),
      'WAWebLidMigrationUtils.toPn',
    ),
  },
  WAWebLidMigrationUtils: {
    toPn: either(fn('the same', 'phoneNumbers'), 'WAWebApiContact.getPhoneNumber'),
    getAlternateMsgKey: unchecked(
      '(key of a message) → its key with the other id of the person in the chat, otherwise of the author; from memory',
    ),
  },
  WAWebDBCreateLidPnMappings: {
    createLidPnMappings: unchecked(
      "({mappings: [{lid, pn}], flushImmediately, learningSource: 'usync'}) → Promise; stores the numbers of hidden ids",
    ),
  },
  WAWebContactGetters: {
    getIsMe: unchecked('(contact)'),
    getIsUser: unchecked('(contact)'),
    getIsWAContact: unchecked('(contact)'),
    getName: unchecked('(contact) → name in the address book'),
    getPushname: unchecked('(contact) → name that the person chose'),
  },
  WAWebFrontendContactGetters: { getIsMyContact: unchecked('(contact)') },
  WAWebContactProfilePicThumbBridge: {
    requestProfilePicFromServer: fn(
      "({id, tcToken}) → Promise<{eurl} | {tag: ''} | {stale: true}>",
      ...(['getPicture', 'getGroupPicture'] as const),
    ),
    sendSetPicture: fn(
      '(id, thumbnail, picture), data URLs of JPEGs → Promise<{status}>',
      ...(['setProfilePicture', 'setGroupPicture'] as const),
    ),
    requestDeletePicture: fn('(id) → Promise<{status}>', 'removeProfilePicture', 'removeGroupPicture'),
  },
  // A default export: (id, bytes of a JPEG) → Promise; rejects with the network's code. Without it, `sendSetPicture`.
  WAWebSendProfilePictureJob: {},
  WAWebChangeProfilePicThumb: {
    changeProfilePicThumb: unchecked('(id, command) → Promise; the page shows the new picture'),
  },
  WAWebProfilePicConstants: { ProfilePicCommand: unchecked('{Set}, for the above') },
};
