import { firstSwitches, type PageSwitches, splitPresence } from './page/switches.ts';

/** The builds of the page that can be served, named by the month by which they were released; oldest first. */
export const builds = ['2026-01', '2026-04', '2026-07', '2026-09', '2026-10'] as const;

export type Build = (typeof builds)[number];

export const newestBuild: Build = '2026-10';

/** One function subscribes to presence in older builds, two do in newer ones. */
const ONE_PRESENCE = 'WAWebContactPresenceBridge.subscribePresence';

/** The changes of each build from the previous one. The README names where each change was seen. */
const changes: Readonly<Record<Build, Partial<PageSwitches> & Pick<PageSwitches, 'pageVersion'>>> = {
  '2026-01': { pageVersion: '2.3000.1031000000' },
  '2026-04': {
    pageVersion: '2.3000.1037900000',
    statusActions: 'object',
    whatsNew: 'two-buttons',
    testIds: false,
    lazyParticipants: true,
    unknownGroups: 'created',
    pictureRefusals: 'returned',
    removedModules: splitPresence,
  },
  '2026-07': {
    pageVersion: '2.3000.1042500000',
    // Of message keys only: ids of people and chats have kept theirs.
    idProperty: '$1',
    testIds: true,
    downloads: 'typed',
    downloadResult: 'uint8array',
    offlineProgressEnd: 99,
    participantsDelayMs: 50,
    participantQueriesAtOnce: 3,
    removedModules: ['WAWebCollections.GroupMetadata', ONE_PRESENCE],
    lazyModules: true,
    unknownModules: 'undefined',
    pictureIdentity: 'lid',
    contactNames: 'lid',
    placeholderResend: false,
  },
  '2026-09': {
    pageVersion: '2.3000.1047000000',
    mediaOwnId: true,
    whatsNewAt: 'load',
    groupDescription: 'object',
    deleteForm: 'object',
    removedModules: ['WAWebCollections.GroupMetadata', ONE_PRESENCE, 'WAWebCmd.Cmd.refreshQR'],
  },
  '2026-10': {
    pageVersion: '2.3000.1049200000',
    downloadResult: 'blob',
    lookUps: 'lid',
    deviceContact: true,
    unresolvedModules: { WAWebChatForwardMessage: 'WAWebForwardMessageFlow.react' },
    minifiedErrors: true,
    ackErrorCodes: true,
  },
};

/** How the page behaves in a build: all changes up to it. */
export function switchesOf(build: Build): PageSwitches {
  const past = builds.slice(0, builds.indexOf(build) + 1);
  return Object.assign({ ...firstSwitches }, ...past.map((each) => changes[each]));
}
