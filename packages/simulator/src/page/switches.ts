/** The name of the property with an id's serialised form; builds of the real page differ. */
type SerializedProperty = '_serialized' | '$1';

/** Functions that were added in the summer of 2026. */
export const splitPresence: readonly string[] = [
  'WAWebContactPresenceBridge.subscribeUserPresence',
  'WAWebContactPresenceBridge.subscribeGroupPresence',
];

/**
 * The differences between builds of the real page, here as in January 2026. Written into the document: a page keeps them
 * until its next load.
 */
export const firstSwitches = {
  /** For message ids. */
  idProperty: '_serialized' as SerializedProperty,
  /** For ids of people and chats. */
  widProperty: '_serialized' as SerializedProperty,
  /** `window.Debug.VERSION`. */
  pageVersion: '2.3000.1031000000',
  /** How a status is posted: with positional arguments, or with one object and an answer that may be a refusal. */
  statusActions: 'positional' as 'positional' | 'object',
  /** Whether a download requires a MIME type that matches its kind of media. */
  downloads: 'any' as 'any' | 'typed',
  /** The type of downloaded bytes. */
  downloadResult: 'arraybuffer' as 'arraybuffer' | 'uint8array' | 'blob',
  /** Media models have an own, enumerable `__x_id` that is undefined. */
  mediaOwnId: false,
  /** The buttons of the dialog "What's new". */
  whatsNew: 'one-button' as 'one-button' | 'two-buttons',
  /** Whether the dialog opens after the sync, or already at the login. */
  whatsNewAt: 'synced' as 'synced' | 'load',
  /** Whether the elements of screens and dialogs have test ids. */
  testIds: true,
  /** Members of a group are unknown until they are requested. */
  lazyParticipants: false,
  /** Their members are in the page's database, where `find` looks before it sends a request. */
  groupsStored: true,
  /** How long a request for a group's members takes. */
  participantsDelayMs: 0,
  /** How many such requests may run at once; one more is refused with status 429. */
  participantQueriesAtOnce: 1000,
  /** Whether a chat is created for a group that the account does not know, or the answer is that there is none. */
  unknownGroups: 'none' as 'none' | 'created',
  /** How a group's description is set: with positional arguments, or with one object. */
  groupDescription: 'positional' as 'positional' | 'object',
  /** Whether numbers are looked up by number, or by hidden id. */
  lookUps: 'pn' as 'pn' | 'lid',
  /** How messages are deleted for oneself: with three arguments, or with one object. */
  deleteForm: 'positional' as 'positional' | 'object',
  /** Some modules have to be loaded through the page's Bootloader before they can be required. */
  lazyModules: false,
  /** The same for modules that the real page loads at the start, to test lazy loading with them. */
  moreLazyModules: false,
  /** Lazy modules that cannot be required until a second component is loaded, by that component. */
  unresolvedModules: {} as Readonly<Record<string, string>>,
  /** How long after the page's load some modules register. */
  lateModulesMs: 0,
  /** Whether requiring a missing module throws, or returns undefined as in an unguarded script. */
  unknownModules: 'thrown' as 'thrown' | 'undefined',
  /** `Module` or `Module.export`: what this page does not have, in addition to what its build has removed. */
  missingModules: [] as readonly string[],
  /** The same, as part of the build. */
  removedModules: [
    'WAWebDBMessageFindLocal.msgFindByDirection',
    'WAWebDBMessageFindLocal.msgFindSearch',
    ...splitPresence,
  ] as readonly string[],
  /** Whether a refused picture throws, or returns an answer without a picture. */
  pictureRefusals: 'thrown' as 'thrown' | 'returned',
  /** By which identity a person's picture can be requested; requests by the other one are never answered. */
  pictureIdentity: 'any' as 'any' | 'lid',
  /** Whether a person's names are on both contacts, or only on the one by LID. */
  contactNames: 'both' as 'both' | 'lid',
  /** One of the contacts is a device; the look-up of its other identity throws. */
  deviceContact: false,
  /** Errors of the network have a minified name. */
  minifiedErrors: false,
  /** `WAWebSyncGatingUtils.isPlaceholderMessageResendEnabled` exists. */
  placeholderResend: true,
  /** Whether the result of a send has the code with which the network refused it. */
  ackErrorCodes: false,
  /** After how long without a sign of its user the page considers showing the account as unavailable, */
  idleMs: 60_000,
  /** and after how much longer it does. */
  awayMs: 30_000,
  /** The final value of the offline progress; newer builds never reach 100. */
  offlineProgressEnd: 100,
  /** How long a device's first sync may take before the page logs itself out. */
  firstSyncMs: 180_000,
  /** How long a page that is linked with a passkey waits for each step of the phone. */
  passkeyStepMs: 120_000,
};

export type PageSwitches = typeof firstSwitches;

/** The settings in this page's document; assigned before anything else is created. */
export const switches: PageSwitches = { ...firstSwitches };
