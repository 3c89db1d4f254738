import type { PageChat, PageContact, PageId } from '../window.ts';
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

/** Modules for details of people. */
export interface ContactDetailModules {
  WAWebUsync: { USyncQuery: new () => LookUp; USYNC_ADDRESSING_MODE?: { readonly PN?: string; readonly LID?: string } };
  WAWebUsyncUser: { USyncUser: new () => LookedUp };
  WAWebUsernameGatingUtils: { usernameContactUsyncLidBased?(): boolean };
  WAWebBlockContactAction: {
    blockContact(what: { contact: PageContact; blockEntryPoint: string }): Promise<unknown>;
    unblockContact(contact: PageContact, entryPoint: string): Promise<unknown>;
  };
  WAWebFindCommonGroupsContactAction: {
    findCommonGroups(contact: PageContact): Promise<{ getModelsArray(): PageChat[] } | null | undefined>;
  };
}

/** Their parts. */
export const contactDetailParts: Contract<ContactDetailModules> = {
  WAWebUsync: {
    USyncQuery: fn(
      'with…Protocol(), withUser(user), execute() → Promise<{error, list: [{id, pn, lid, contact}]}>; a refusal is in error',
      ...(['numbersExist', 'resolveContacts'] as const),
    ),
    USYNC_ADDRESSING_MODE: unchecked('{PN, LID}: which of the two `id` is; by number, withLidProtocol() adds lid'),
  },
  WAWebUsyncUser: { USyncUser: fn('withPhone(+number) | withId(hidden id)', 'numbersExist', 'resolveContacts') },
  WAWebUsernameGatingUtils: {
    usernameContactUsyncLidBased: unchecked('() → whether numbers are queried by hidden id; absent if they always are'),
  },
  WAWebBlockContactAction: {
    blockContact: fn(
      '({contact, blockEntryPoint}) → Promise; needs the contact by hidden id; does nothing if isContactBlocked',
      'blockContact',
    ),
    unblockContact: fn('(contact, entry point) → Promise; does nothing unless isContactBlocked', 'unblockContact'),
  },
  WAWebFindCommonGroupsContactAction: {
    findCommonGroups: fn('(contact) → Promise of a collection of chats; null for oneself', 'listCommonGroups'),
  },
};
