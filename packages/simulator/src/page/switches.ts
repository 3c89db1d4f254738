/** The name of the property with an id's serialised form; builds of the real page differ. */
export type SerializedProperty = '_serialized' | '$1';

/**
 * The differences between builds of the real page. Written into the document: a page keeps them until its next load.
 */
export interface PageSwitches {
  /** For message ids. */
  idProperty: SerializedProperty;
  /** For ids of people and chats. */
  widProperty: SerializedProperty;
  /** `window.Debug.VERSION`. */
  pageVersion: string;
  /** How a status is posted: with positional arguments, or with one object and an answer that may be a refusal. */
  statusActions: 'positional' | 'object';
  /** Whether a status from this page is also in the collection of all messages, not only in the feed. */
  statusInMsgs: boolean;
  /** Whether a download requires a MIME type that matches its kind of media. */
  downloads: 'any' | 'typed';
  /** The type of downloaded bytes. */
  downloadResult: 'arraybuffer' | 'uint8array' | 'blob';
  /** Media models have an own, enumerable `__x_id` that is undefined. */
  mediaOwnId: boolean;
  /** The buttons of the dialog "What's new". */
  whatsNew: 'one-button' | 'two-buttons';
  /** Whether the dialog opens after the sync, or already at the login. */
  whatsNewAt: 'synced' | 'load';
  /** Members of a group are unknown until they are requested. */
  lazyParticipants: boolean;
  /** Their members are in the page's database, where `find` looks before it sends a request. */
  groupsStored: boolean;
  /** How long a request for a group's members takes. */
  participantsDelayMs: number;
  /** How many such requests may run at once; one more is refused with status 429. */
  participantQueriesAtOnce: number;
  /** Whether a chat is created for a group that the account does not know, or the answer is that there is none. */
  unknownGroups: 'none' | 'created';
  /**
   * Whether a group is created with the opposite of `announce` and `restrict`, as in every real build, or as named.
   */
  groupFlags: 'as-named' | 'inverted';
  /** How a group's description is set: with positional arguments, or with one object. */
  groupDescription: 'positional' | 'object';
  /** Whether numbers are looked up by number, or by hidden id. */
  lookUps: 'pn' | 'lid';
  /** How messages are deleted for oneself: with three arguments, or with one object. */
  deleteForm: 'positional' | 'object';
  /** Some modules have to be loaded through the page's Bootloader before they can be required. */
  lazyModules: boolean;
  /** The same for modules that the real page loads at the start, to test lazy loading with them. */
  moreLazyModules: boolean;
  /** How long after the page's load some modules register. */
  lateModulesMs: number;
  /** Whether requiring a missing module throws, or returns undefined as in an unguarded script. */
  unknownModules: 'thrown' | 'undefined';
  /** `Module` or `Module.export`: what this page does not have, in addition to what its build has removed. */
  missingModules: readonly string[];
  /** The same, as part of the build. */
  removedModules: readonly string[];
  /** Whether a refused picture throws, or returns an answer without a picture. */
  pictureRefusals: 'thrown' | 'returned';
  /** By which identity a person's picture can be requested; requests by the other one are never answered. */
  pictureIdentity: 'any' | 'lid' | 'pn';
  /** Whether a person's names are on both contacts, or only on the one by LID. */
  contactNames: 'both' | 'lid';
  /** One of the contacts is a device; the look-up of its other identity throws. */
  deviceContact: boolean;
  /** Errors of the network have a minified name. */
  minifiedErrors: boolean;
  /** `WAWebSyncGatingUtils.isPlaceholderMessageResendEnabled` exists. */
  placeholderResend: boolean;
  /** How long after the document's load event the page has `require` and `Debug`. */
  loadDelayMs: number;
  /** How long a page waits before it connects again. */
  reconnectDelayMs: number;
  /** After how long without a sign of its user the page considers showing the account as unavailable, */
  idleMs: number;
  /** and after how much longer it does. */
  awayMs: number;
  /** The final value of the offline progress; newer builds never reach 100. */
  offlineProgressEnd: number;
  /** How long a device's first sync may take before the page logs itself out. */
  firstSyncMs: number;
  /** How long a page that is linked with a passkey waits for each step of the phone. */
  passkeyStepMs: number;
  /** How long after the link a new page reloads itself, once; 0 for never. */
  reloadAfterLinkMs: number;
}

/** Functions that were added in the summer of 2026. */
export const splitPresence: readonly string[] = [
  'WAWebContactPresenceBridge.subscribeUserPresence',
  'WAWebContactPresenceBridge.subscribeGroupPresence',
];

/** The page as it was in January 2026. */
export const firstSwitches: Readonly<PageSwitches> = {
  idProperty: '_serialized',
  widProperty: '_serialized',
  pageVersion: '2.3000.1031000000',
  statusActions: 'positional',
  statusInMsgs: true,
  downloads: 'any',
  downloadResult: 'arraybuffer',
  mediaOwnId: false,
  whatsNew: 'one-button',
  whatsNewAt: 'synced',
  lazyParticipants: false,
  groupsStored: true,
  participantsDelayMs: 0,
  participantQueriesAtOnce: 1000,
  unknownGroups: 'none',
  groupFlags: 'inverted',
  groupDescription: 'positional',
  lookUps: 'pn',
  deleteForm: 'positional',
  lazyModules: false,
  moreLazyModules: false,
  lateModulesMs: 0,
  unknownModules: 'thrown',
  missingModules: [],
  removedModules: [
    ...['WAWebDBMessageFindLocal.msgFindByDirection', 'WAWebDBMessageFindLocal.msgFindSearch'],
    ...splitPresence,
  ],
  pictureRefusals: 'thrown',
  pictureIdentity: 'any',
  contactNames: 'both',
  deviceContact: false,
  minifiedErrors: false,
  placeholderResend: true,
  loadDelayMs: 0,
  reconnectDelayMs: 500,
  idleMs: 60_000,
  awayMs: 30_000,
  offlineProgressEnd: 100,
  firstSyncMs: 180_000,
  passkeyStepMs: 120_000,
  reloadAfterLinkMs: 0,
};

/** The settings in this page's document; assigned before anything else is created. */
export const switches: PageSwitches = { ...firstSwitches };
