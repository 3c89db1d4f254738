import { type AccountModules, accountParts } from './account.ts';
import { type ChangeModules, changeParts } from './changes.ts';
import { type ChannelModules, channelParts } from './channels.ts';
import { type ChatModules, chatParts } from './chats.ts';
import { type CollectionModules, collectionParts } from './collections.ts';
import { type ContactDetailModules, contactDetailParts } from './contact-details.ts';
import { type GroupInviteModules, groupInviteParts } from './group-invites.ts';
import { type GroupModules, groupParts } from './groups.ts';
import { type IncomingModules, incomingParts } from './incoming.ts';
import { type LabelModules, labelParts } from './labels.ts';
import { type LimitModules, limitParts } from './limits.ts';
import { type MessageQueryModules, messageQueryParts } from './message-queries.ts';
import { type OutgoingModules, outgoingParts } from './outgoing.ts';
import { type PeopleModules, peopleParts } from './people.ts';
import { type SessionModules, sessionParts } from './session.ts';

export type { Capability, Part } from './part.ts';

/** Modules by their names in the page's registry. */
export interface PageModules
  extends SessionModules,
    CollectionModules,
    ChatModules,
    ContactDetailModules,
    LabelModules,
    LimitModules,
    IncomingModules,
    OutgoingModules,
    MessageQueryModules,
    PeopleModules,
    GroupModules,
    GroupInviteModules,
    AccountModules,
    ChangeModules,
    ChannelModules {}

/**
 * The contract with the page: every module that our program uses (`PageModules`, which the compiler enforces) and every
 * module that the called functions of the library use (a test compares them with its source).
 *
 * Compared with published reconstructions of the page of April to October 2026; each start checks it again.
 */
export const contract = {
  ...sessionParts,
  ...collectionParts,
  ...chatParts,
  ...contactDetailParts,
  ...labelParts,
  ...limitParts,
  ...incomingParts,
  ...outgoingParts,
  ...messageQueryParts,
  ...peopleParts,
  ...groupParts,
  ...groupInviteParts,
  ...accountParts,
  ...changeParts,
  ...channelParts,
};

/**
 * Components of the page that contain a module which is not loaded at its start, best first. The page's loader accepts
 * only names that the page itself loads; published dependency graphs show which modules they contain.
 */
export const components: Readonly<Record<string, readonly string[]>> = {
  // The last brings it without its dependencies in builds of autumn 2026.
  WAWebChatForwardMessage: [
    'WAWebForwardMessageFlow.react',
    'WAWebForwardMessageModal.react',
    'WAWebMediaForwardMediaMsg',
  ],
  WAWebContactProfilePicThumbBridge: ['WAWebProfileDrawer.react', 'WAWebNewGroupFlow.react'],
  WAWebDeleteContactAction: ['WAWebNewChatFlow.react', 'WAWebInfoFlow.react'],
  WAWebExitGroupAction: ['WAWebNewGroupFlow.react', 'WAWebExistingGroupPermissionsDrawer.react'],
  WAWebGroupCreateJob: ['WAWebNewGroupFlow.react'],
  WAWebGroupInviteJob: ['WAWebGroupInviteLinkDrawer.react'],
  WAWebGroupMembershipRequestsActionJob: [
    'WAWebGroupMembershipApprovalRequestsFlow.react',
    'WAWebExistingGroupPermissionsDrawer.react',
  ],
  WAWebGroupModifyParticipantsJob: ['WAWebNewGroupFlow.react', 'WAWebExistingGroupPermissionsDrawer.react'],
  WAWebMexFetchGroupInviteCodeJob: ['WAWebGroupInviteLinkDrawer.react'],
  WAWebMexUpdateGroupPropertyJob: ['WAWebExistingGroupPermissionsDrawer.react'],
  WAWebLoadNewsletterPreviewChatAction: [
    'WAWebNewsletterDirectoryFlow.react',
    'WAWebNewsletterTabFlow.react',
    'WAWebInfoFlow.react',
  ],
  WAWebNewsletterUnsubscribeAction: ['WAWebNewsletterContextMenu', 'WAWebNewsletterTabFlow.react'],
  WAWebPrepRawMedia: ['WAWebAttachMediaFlow.react', 'WAWebMediaForwardMediaMsg'],
  WAWebRevokeStatusAction: ['WAWebStatusViewer.react', 'WAWebStatusDrawerFlow.react'],
  WAWebSaveContactAction: ['WAWebNewChatFlow.react', 'WAWebInfoFlow.react'],
  WAWebSendStatusMsgAction: [
    'WAWebCreateTextStatusFlow.react',
    'WAWebStatusViewer.react',
    'WAWebStatusDrawerFlow.react',
  ],
  WAWebSetPrivacyForOneCategoryAction: ['WAWebStatusPrivacySettingsModalFlow.react', 'WAWebSettingsFlow.react'],
  WAWebSetPushnameConnAction: ['WAWebProfileDrawer.react'],
  WAWebUploadManager: ['WAWebAttachMediaFlow.react', 'WAWebMediaForwardMediaMsg'],
};
