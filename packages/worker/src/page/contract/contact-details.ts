import type { PageChat, PageContact, PageId } from '../models.ts';
import { type Contract, fn, unchecked } from './part.ts';

/** A person in a query, and the query itself, as the page builds them. */
interface LookedUp {
  withPhone(number: string): LookedUp;
  withId(id: PageId): LookedUp;
}
interface LookUp {
  withContactProtocol(addressingMode: string | undefined): LookUp;
  withLidProtocol(): LookUp;
  withBusinessProtocol(): LookUp;
  withDisappearingModeProtocol(): LookUp;
  withUser(user: LookedUp): LookUp;
  execute(): Promise<LookUpAnswer | undefined>;
}

/** The answer to a query, in any order. A refusal by the network is in `error`. */
interface LookUpAnswer {
  readonly error?: Readonly<Record<string, { readonly errorCode?: number } | undefined>>;
  readonly list?: readonly {
    readonly id?: PageId;
    readonly pn?: PageId;
    /** As text. */
    readonly lid?: string;
    readonly contact?: { readonly type?: string; readonly content?: string; readonly errorCode?: number };
  }[];
}

/** What a contact is saved as: by number, or else by hidden id and user name. */
interface NewContact {
  readonly firstName: string;
  readonly lastName: string;
  /** Digits. */
  readonly phoneNumber?: string;
  readonly syncToAddressbook?: boolean;
  readonly lid?: PageId;
  readonly username?: string | undefined;
  /** By the other one than before. */
  readonly isConvertingContactType?: boolean;
}

/** Modules for details of people. */
export interface ContactDetailModules {
  WAWebUsync: {
    /** A refusal of the network is in `error`. */
    USyncQuery: new () => LookUp;
    /** Which of the two `id` is; by number, `withLidProtocol` adds `lid`. */
    USYNC_ADDRESSING_MODE?: { readonly PN?: string; readonly LID?: string };
  };
  WAWebUsyncUser: {
    /** By `+` and a number, or by hidden id. */
    USyncUser: new () => LookedUp;
  };
  WAWebUsernameGatingUtils: {
    /** Whether numbers are queried by hidden id. Absent if they always are. */
    usernameContactUsyncLidBased?(): boolean;
  };
  WAWebBlockContactAction: {
    /** Needs the contact by hidden id; does nothing if isContactBlocked. */
    blockContact(what: { contact: PageContact; blockEntryPoint: string }): Promise<unknown>;
    /** Does nothing unless isContactBlocked. */
    unblockContact(contact: PageContact, entryPoint: string): Promise<unknown>;
  };
  WAWebSaveContactAction: {
    /** Resolves before the models have the name. Rejects with the network's code; saves numbers that nobody has, too. */
    saveContactAction(contact: NewContact): Promise<unknown>;
  };
  WAWebDeleteContactAction: {
    /** By number, or by hidden id and user name. Does nothing if the contact with that id has no name. */
    deleteContactAction(
      contact: { phoneNumber: PageId } | { readonly lid: PageId; readonly username: string },
    ): Promise<unknown>;
  };
  WAWebContactEditSync: {
    /** The last step of a deletion by number. */
    sendContactDelete(number: PageId): Promise<unknown>;
  };
  WAWebPrimaryFeaturesModel: {
    /** What the phone supports and allows; without `features`, it has not reported that. */
    PrimaryFeatures: {
      readonly features?: readonly string[];
      readonly isContactsBackupOn?: boolean;
      readonly primaryHasAgreedToNativeContactsNux?: boolean;
      readonly primaryHasAddressbookPermission?: boolean;
    };
  };
  WAWebFindCommonGroupsContactAction: {
    /** Resolves with null for oneself. */
    findCommonGroups(contact: PageContact): Promise<{ getModelsArray(): PageChat[] } | null | undefined>;
  };
}

/** Their parts. */
export const contactDetailParts: Contract<ContactDetailModules> = {
  WAWebUsync: {
    USyncQuery: fn('numbersExist', 'resolveContacts'),
    USYNC_ADDRESSING_MODE: unchecked(),
  },
  WAWebUsyncUser: { USyncUser: fn('numbersExist', 'resolveContacts') },
  WAWebUsernameGatingUtils: { usernameContactUsyncLidBased: unchecked() },
  WAWebBlockContactAction: {
    blockContact: fn('blockContact'),
    unblockContact: fn('unblockContact'),
  },
  WAWebSaveContactAction: { saveContactAction: fn('saveContact') },
  WAWebDeleteContactAction: { deleteContactAction: fn('deleteContact') },
  WAWebContactEditSync: { sendContactDelete: unchecked() },
  WAWebPrimaryFeaturesModel: { PrimaryFeatures: unchecked() },
  WAWebFindCommonGroupsContactAction: { findCommonGroups: fn('listCommonGroups') },
};
